"""Tests of recommenders."""
