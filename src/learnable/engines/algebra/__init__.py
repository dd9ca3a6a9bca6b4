"""Dense and sparse linear algebra: factorisations, spectra and covariances."""
