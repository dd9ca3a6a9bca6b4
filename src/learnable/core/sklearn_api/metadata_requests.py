"""What the methods of an estimator request of metadata: `set_fit_request` and its like."""

from __future__ import annotations

from typing import Any, Self

from .conditional_methods import available_if
from .routing import request, requests_by_argument, requests_of, takes_more


class MetadataRequests:
    """Base class of estimators whose extra arguments, such as `sample_weight`, meta-estimators pass on by request."""

    def get_metadata_routing(self) -> Any:
        """Metadata routing of scikit-learn: which metadata the methods request."""
        return requests_of(self)

    def _metadata_requests(self, method: str) -> dict[str, Any]:
        """The extra arguments of a method and what was requested for each."""
        return requests_by_argument(self, method)

    @available_if(takes_more("fit"))
    def set_fit_request(self, **requested: bool | str | None) -> Self:
        """Say which extra arguments, such as `sample_weight`, meta-estimators pass on to `fit`.

        Ours pass weights on to every component that takes them, unless it says `sample_weight=False` here, or metadata
        routing is enabled: then a component is given what it requests.
        """
        return self._request("fit", requested)

    @available_if(takes_more("score"))
    def set_score_request(self, **requested: bool | str | None) -> Self:
        """Say which extra arguments meta-estimators pass on to `score`."""
        return self._request("score", requested)

    @available_if(takes_more("predict"))
    def set_predict_request(self, **requested: bool | str | None) -> Self:
        """Say which extra arguments, such as `return_std`, meta-estimators pass on to `predict`."""
        return self._request("predict", requested)

    @available_if(takes_more("predict_proba"))
    def set_predict_proba_request(self, **requested: bool | str | None) -> Self:
        """Say which extra arguments meta-estimators pass on to `predict_proba`."""
        return self._request("predict_proba", requested)

    @available_if(takes_more("decision_function"))
    def set_decision_function_request(self, **requested: bool | str | None) -> Self:
        """Say which extra arguments meta-estimators pass on to `decision_function`."""
        return self._request("decision_function", requested)

    @available_if(takes_more("partial_fit"))
    def set_partial_fit_request(self, **requested: bool | str | None) -> Self:
        """Say which extra arguments meta-estimators pass on to `partial_fit`."""
        return self._request("partial_fit", requested)

    @available_if(takes_more("transform"))
    def set_transform_request(self, **requested: bool | str | None) -> Self:
        """Say which extra arguments meta-estimators pass on to `transform`."""
        return self._request("transform", requested)

    @available_if(takes_more("inverse_transform"))
    def set_inverse_transform_request(self, **requested: bool | str | None) -> Self:
        """Say which extra arguments meta-estimators pass on to `inverse_transform`."""
        return self._request("inverse_transform", requested)

    def _request(self, method: str, requested: dict[str, Any]) -> Self:
        request(self, method, requested)
        return self
