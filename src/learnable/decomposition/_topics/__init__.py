"""Latent Dirichlet allocation: documents, the variational bound, and passes over the documents."""
