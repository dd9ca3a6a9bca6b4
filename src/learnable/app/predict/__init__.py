"""Models in use: tables read in pieces, brought to the form that a model expects, answered and written."""
