"""What generative models of classes share: sufficient statistics, missing entries, and the rule of Bayes."""
