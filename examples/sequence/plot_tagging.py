"""
Part-of-speech tags, chunks, and label bias
===========================================

Three taggers on small data: a hidden Markov model, a conditional random field, and a model with
label bias.
"""

# %%
# Part-of-speech tags
# -------------------
# The hidden Markov model counts tags and words, and predicts the tag of an unknown word by its
# suffix.

import matplotlib.pyplot as plt
import numpy as np

from learnable.sequence import CRF, HMMTagger, MaximumEntropyMarkovModel, chunk_score

sentences = [
    "the dog barks loudly", "a cat sleeps", "the old dogs sleep quietly", "she walks slowly",
    "the happy child sings", "he reads a long book", "dogs bark", "she quickly closes the book",
]  # fmt: skip
tags = [
    "DET NOUN VERB ADV", "DET NOUN VERB", "DET ADJ NOUN VERB ADV", "PRON VERB ADV",
    "DET ADJ NOUN VERB", "PRON VERB DET ADJ NOUN", "NOUN VERB", "PRON ADV VERB DET NOUN",
]  # fmt: skip
X, y = [text.split() for text in sentences], [text.split() for text in tags]
tagger = HMMTagger().fit(X, y)
new = ["the", "cat", "walks", "quietly"]
print(list(zip(new, tagger.predict([new])[0], strict=True)))

# %%
# Its transition probabilities:

fig, ax = plt.subplots(figsize=(4.5, 3.8), layout="constrained")
image = ax.imshow(tagger.transmat_, cmap="Blues", vmin=0, vmax=1)
ax.set_xticks(range(len(tagger.classes_)), tagger.classes_, rotation=45)
ax.set_yticks(range(len(tagger.classes_)), tagger.classes_)
ax.set(xlabel="next tag", ylabel="tag")
fig.colorbar(image)
plt.show()

# %%
# Chunks
# ------
# A conditional random field marks noun phrases: B is the first word, I any other. With templates,
# features of neighbouring words are one line each; `allowed` forbids what no chunk can be, such as
# I after O.

chunks = [
    "B-NP I-NP O O", "B-NP I-NP O", "B-NP I-NP I-NP O O", "B-NP O O",
    "B-NP I-NP I-NP O", "B-NP O B-NP I-NP I-NP", "B-NP O", "B-NP O O B-NP I-NP",
]  # fmt: skip
tokens = [list(zip(*pair, strict=True)) for pair in zip(X, y, strict=True)]
goal = [text.split() for text in chunks]
crf = CRF(templates="U0:%x[0,1]\nU1:%x[-1,1]/%x[0,1]\nU2:%x[0,0]\nB", c2=0.1, allowed="IOB2")
crf.fit(tokens[:6], goal[:6])
print(chunk_score(goal[6:], crf.predict(tokens[6:])))

# %%
# Label bias
# ----------
# Two words, "rib" and "rob", are spelled letter by letter: after r, the state is 1 or 4. A
# maximum-entropy Markov model normalises each step by itself. State 1 has one successor only, and
# passes its whole probability on to it, whether it sees an i or an o, so that the word that occurs
# more often always wins. The conditional random field normalises whole sequences.

letters = [list("rib")] * 7 + [list("rob")] * 3
paths = [["1", "2", "3"]] * 7 + [["4", "5", "3"]] * 3
data = [[[letter] for letter in word] for word in letters]
rows = []
for model in (MaximumEntropyMarkovModel(c2=0.01), CRF(c2=0.01)):
    model.fit(data, paths)
    rob = model.predict_proba([[["r"], ["o"], ["b"]]])
    rows.append(rob[0, model.classes_.tolist().index("4")])
fig, ax = plt.subplots(figsize=(5, 2.2), layout="constrained")
ax.barh(["MEMM", "CRF"], rows)
ax.axvline(0.5, color="0.5", lw=0.8)
ax.set(xlim=(0, 1), xlabel='probability of the path of "rob", given the letters r, o, b')
plt.show()
print(np.round(rows, 2))
