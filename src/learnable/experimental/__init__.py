"""What scikit-learn asks to enable before use. Here it always is, so importing from this package does nothing."""
