"""What is learned of single columns: categories, bins, quantiles, summaries, power transforms."""
