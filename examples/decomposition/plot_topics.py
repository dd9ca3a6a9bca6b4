"""
Topics of short texts
=====================

The spectrum of a table of words says how many topics there are; singular vectors have their words.
"""

# %%
# Texts of three subjects
# -----------------------
# Each text has words of its subject, in random order, and words of every text.

import matplotlib.pyplot as plt
import numpy as np

from learnable import LatentSemanticAnalysis, TfidfVectorizer

subjects = {
    "space": "orbit shuttle launch nasa moon satellite rocket mission",
    "baseball": "pitcher game team inning league hit season catcher",
    "graphics": "image pixel colour file format screen window driver",
}
common = ["people", "time", "year", "good", "know", "think", "work", "question"]
rng = np.random.default_rng(0)
texts, label = [], []
for k, words in enumerate(subjects.values()):
    for _ in range(40):
        texts.append(" ".join([*rng.choice(words.split(), 5), *rng.choice(common, 4)]))
        label.append(k)
vectorizer = TfidfVectorizer()
table = vectorizer.fit_transform(texts)
model = LatentSemanticAnalysis(12, random_state=0).fit(table)

# %%
# Spectrum, words and map
# -----------------------
# Singular values fall after the topics. The first topic is what all texts share; the next ones
# separate the subjects, by words of both signs.

fig, axes = plt.subplots(1, 3, figsize=(9, 3), layout="constrained")
axes[0].plot(range(1, 13), model.singular_values_, "o-")
axes[0].set(title="singular values", xlabel="topic")
terms = vectorizer.get_feature_names_out()
for k, words in enumerate(model.top_words(6, terms)[:3]):
    axes[1].text(0.02 + 0.34 * k, 0.95, f"topic {k + 1}\n\n" + "\n".join(words), va="top")
axes[1].set(title="words with the largest weights", xticks=[], yticks=[])
documents = model.documents_
for k, name in enumerate(subjects):
    chosen = np.array(label) == k
    axes[2].plot(documents[chosen, 1], documents[chosen, 2], "o", ms=4, label=name)
axes[2].set(title="texts on topics 2 and 3")
axes[2].legend()
plt.show()

# %%
# Search
# ------
# A query finds texts of its subject, also those without its words.

found = model.search(vectorizer.transform(["rocket"]), n=10)
print([texts[row].split()[:3] for row in found.documents[0][:3]])
print("of the subject:", np.mean(np.array(label)[found.documents[0]] == 0))

# %%
# Weaknesses
# ----------
# A word has one vector, whatever it means: "apple" is between fruit and computers, and a search for
# "apple fruit" finds computers too. Synonyms are joined only if they occur with the same words: of
# "aircraft safety" and "airplane fast" alone nothing can be learned. And coordinates are sums of
# both signs, so that a topic cannot be read as parts.

small = ["apple fruit sweet", "apple fruit fresh", "apple computer chip", "apple computer fast",
         "aircraft safety", "airplane wing"]  # fmt: skip
counts = TfidfVectorizer()
tiny = LatentSemanticAnalysis(3, random_state=0).fit(counts.fit_transform(small))
hits = tiny.search(counts.transform(["apple"]), n=4)
print({small[k]: round(float(c), 2) for k, c in zip(hits[0][0], hits[1][0], strict=True)})
every = LatentSemanticAnalysis(6, random_state=0).fit(counts.transform(small))
between = every.documents_ @ every.documents_.T
print("aircraft and airplane:", round(float(between[4, 5]), 2))
print("negative weights:", f"{np.mean(model.components_ < -1e-3):.0%}")
