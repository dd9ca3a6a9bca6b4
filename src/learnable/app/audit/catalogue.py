"""The catalogue of alarms. A code is never reused for another alarm; new ones are added at the end."""

from __future__ import annotations

from dataclasses import dataclass
from shlex import quote

from ..text import together
from .alarm import Alarm, Level
from .evidence import AlarmEvidence, drop_flags

SINGULAR = {"it": "it", "are": "is"}  # words of a remedy that depend on the number of columns
PLURAL = {"it": "them", "are": "are"}


@dataclass(frozen=True, slots=True)
class AlarmType:
    """An alarm without its evidence; `fix` may hold {columns}, {drop} (as options), {first}, {it} and {are}."""

    code: str
    level: Level
    title: str
    why: str
    fix: str

    def remedy(self, column: str, drop: str = "--drop COLUMN") -> str:
        """The remedy for one column of any name."""
        return self.fix.format(columns=column, drop=drop, first="COLUMN", **SINGULAR)

    def alarm(self, found: AlarmEvidence) -> Alarm:
        """The alarm with its evidence."""
        first = quote(found.columns[0]) if found.columns else ""
        words = SINGULAR if len(found.columns) == 1 else PLURAL
        fix = self.fix.format(
            columns=together(list(map(repr, found.columns))),
            drop=drop_flags(found.columns),
            first=first,
            **words,
        )
        return Alarm(self.code, self.level, self.title, found.text, self.why, fix, found.columns)


_ENTRIES = (
    AlarmType(
        "LB001", "severe", "A column is a copy of the target",
        "A model that uses it scores perfectly in every test, and is useless when the target is not known yet.",
        "Leave {it} out: {drop}.",
    ),
    AlarmType(
        "LB002", "severe", "One column predicts the target almost perfectly",
        "That is rare in real data. Often the column was filled in after the target was known, or computed from it.",
        "Find out when {columns} {are} known; if not before the target, leave {it} out: {drop}.",
    ),
    AlarmType(
        "LB003", "warning", "A column whose name contains the target predicts it well",
        "Columns with such names are often computed from the target, or recorded together with it.",
        "Find out how {columns} {are} computed; if from the target, leave {it} out: {drop}.",
    ),
    AlarmType(
        "LB004", "warning", "Rows with the same value of a column have similar targets",
        "If such rows belong together, as visits of one patient do, a random split puts some of them on both "
        "sides, and the scores are too optimistic for new patients.",
        "If new rows will have new values, keep the rows of one value together: --group {first}.",
    ),
    AlarmType(
        "LB005", "warning", "The target changes with time, but the split is random",
        "With a random split a model learns from rows that are later than those it is tested on.",
        "Split by time: --time {first}.",
    ),
    AlarmType(
        "LB006", "warning", "Neighbouring rows have similar targets",
        "The rows seem to be ordered by time or by group. A random split then tests on rows whose neighbours are "
        "in the training set.",
        "If a column holds the time or the group of each row, name it: --time or --group.",
    ),
    AlarmType(
        "LB007", "note", "Dates or times are among the features",
        "A past time never recurs, so a model that uses it must extrapolate.",
        "If the rows form a sequence in time, split by time: --time {first}.",
    ),
    AlarmType(
        "LB008", "warning", "A column is later than the time of its row",
        "What happens later is not known when the prediction is made.",
        "Leave out columns that are not known when the prediction is made: {drop}.",
    ),
    AlarmType(
        "LB009", "note", "The target changes with time",
        "Future rows may differ from all rows seen so far; the scores on the latest rows are the most informative.",
        "Rely on the scores over time rather than on an average, and repeat the study when new rows arrive.",
    ),
    AlarmType(
        "LB010", "warning", "A column is an identifier of the rows",
        "New rows have values never seen before. Trees memorise such a column; one-hot encoding makes a column of "
        "every row.",
        "Leave {it} out: {drop}.",
    ),
    AlarmType(
        "LB011", "note", "A column is constant",
        "A column with the same value in all rows cannot help to predict anything.",
        "Leave {it} out: {drop}.",
    ),
    AlarmType(
        "LB012", "note", "A column is nearly constant",
        "The few rows with other values may all fall into one fold, so what a model learns from it is noise.",
        "Leave {it} out ({drop}), or combine {it} with another column.",
    ),
    AlarmType(
        "LB013", "warning", "A column is empty",
        "Its values may have been lost: in a join, by a wrong name, or while the file was read.",
        "Check where {columns} should come from, or leave {it} out: {drop}.",
    ),
    AlarmType(
        "LB014", "warning", "A column has very many categories",
        "Most of them have few rows, so models overfit them, and feature importances favour such columns.",
        "Merge rare categories, or use what they stand for: a region instead of a town.",
    ),
    AlarmType(
        "LB015", "warning", "Numbers are stored as text",
        "A few non-numeric entries turn every number into a category, and the order of the numbers is lost.",
        "Replace the other entries by empty cells, or move them to a column of their own.",
    ),
    AlarmType(
        "LB016", "warning", "A column mixes types of entries",
        "The same thing may be written in two ways, such as 1 and 'one', and then counts as two categories.",
        "Write all entries of {columns} in the same way.",
    ),
    AlarmType(
        "LB017", "warning", "Columns are duplicates of each other",
        "The importance is divided among them, and their coefficients are arbitrary.",
        "Keep one of each: {drop}.",
    ),
    AlarmType(
        "LB018", "warning", "Columns are exact linear combinations of others",
        "The coefficients of linear models are not identifiable: infinitely many of them fit equally well.",
        "Leave one column of each combination out, or use regularisation.",
    ),
    AlarmType(
        "LB019", "note", "Columns are nearly linear combinations of others",
        "Predictions are not affected, but coefficients and importances of single columns are unstable.",
        "Do not interpret the coefficients of {columns} separately; leave some out, or use regularisation.",
    ),
    AlarmType(
        "LB020", "note", "A column has extreme outliers",
        "They may be typing or unit errors, and they distort means, scales and linear fits.",
        "Check these rows; correct errors, take logarithms, or use a robust scaler.",
    ),
    AlarmType(
        "LB021", "warning", "A column has infinite values",
        "They come from division by zero or from overflow. Most models reject them.",
        "Find the computation in {columns} that overflows, and leave cells empty where the result is not known.",
    ),
    AlarmType(
        "LB022", "warning", 'A number that probably means "missing"',
        "Models treat it as a measurement, and it distorts means and scales.",
        "Replace it by an empty cell in {columns}.",
    ),
    AlarmType(
        "LB023", "warning", "One category has several spellings",
        "Texts that differ only in capitals or blanks count as different categories.",
        "Use one spelling in {columns}.",
    ),
    AlarmType(
        "LB024", "note", 'Text values that probably mean "missing"',
        "They are treated as a category. That is right only if 'not known' means the same in all rows.",
        "Leave these cells of {columns} empty if the value is not known.",
    ),
    AlarmType(
        "LB025", "note", "A column holds free text",
        "Models see which words and runs of characters occur in a text (TF-IDF, for some models its truncated SVD), "
        "not their order or meaning.",
        "Add columns with what a reader would look for in it, or leave {it} out: {drop}.",
    ),
    AlarmType(
        "LB026", "warning", "A class has fewer rows than there are folds",
        "Some folds have no row of it to train or to test on, so its predictions cannot be evaluated.",
        "Collect more rows of it, merge it with another class, or leave its rows out.",
    ),
    AlarmType(
        "LB027", "warning", "The classes are imbalanced",
        "A model that always predicts the largest class has a high accuracy and detects nothing.",
        "Use balanced accuracy, average precision or costs (--metric), and class weights.",
    ),
    AlarmType(
        "LB028", "severe", "The target is nearly constant",
        "There are too few other rows to learn what makes them different, or to measure whether a model has "
        "learned it.",
        "Collect more of the rare rows, or use outlier detection instead of classification.",
    ),
    AlarmType(
        "LB029", "note", "The target has a long tail",
        "Squared errors are then dominated by the few rows with the largest targets.",
        "Predict the logarithm: compose.TransformedTargetRegressor(func=np.log, inverse_func=np.exp).",
    ),
    AlarmType(
        "LB030", "warning", "The target looks like an identifier or a time",
        "It identifies the rows, so the features cannot predict it.",
        "Choose another column: --target.",
    ),
    AlarmType(
        "LB031", "warning", "The target is censored at a limit",
        "The true values of rows at the limit lie beyond it by an unknown amount, so predictions there are too "
        "moderate.",
        "Leave these rows out, or predict whether the limit is reached, as a class.",
    ),
    AlarmType(
        "LB032", "note", "An integer target may be a class label or a quantity",
        "As classes their order is lost; as amounts the difference between 1 and 2 counts as much as that between "
        "2 and 3.",
        "Choose one: --task regression or --task multi-class.",
    ),
    AlarmType(
        "LB033", "note", "Some labels may be wrong",
        "Wrong labels mislead the training and make good models look worse.",
        "Check these rows; correct a label where it is wrong, never merely because a model disagrees.",
    ),
    AlarmType(
        "LB034", "note", "The target has extreme outliers",
        "Squared errors are then dominated by these rows.",
        "Check them; if they are right, use a robust loss or the logarithm.",
    ),
    AlarmType(
        "LB035", "warning", "One class has several spellings",
        "Classes that differ only in capitals or blanks count as different, and confusing them counts as an error.",
        "Use one spelling of each class in {columns}.",
    ),
    AlarmType(
        "LB036", "warning", "There are duplicate rows",
        "A copy on the other side of a split tests a model on a row that it has memorised.",
        "Remove the copies; if they are different cases that happen to be equal, keep them together with --group.",
    ),
    AlarmType(
        "LB037", "warning", "Equal rows have different targets",
        "No model can be right on both: either labels are wrong, or an informative column is missing.",
        "Check these rows, correct the labels, or add a column that distinguishes the rows.",
    ),
    AlarmType(
        "LB038", "warning", "There are near-duplicate rows",
        "Near copies on both sides of a split make scores too optimistic: the test rows were nearly memorised.",
        "If they are measurements of the same thing, keep them together with --group.",
    ),
    AlarmType(
        "LB039", "warning", "The distribution changes within the file",
        "Its rows probably come from different times or sources. Future rows may resemble the latest ones, or none.",
        "Split by the cause of the change, with --time or --group, rather than at random.",
    ),
    AlarmType(
        "LB040", "note", "The rows are sorted by the target",
        "Without shuffling, each fold of such a file would hold different classes or another range of the target.",
        "A study shuffles the rows; do the same in your own code: KFold(shuffle=True).",
    ),
    AlarmType(
        "LB041", "warning", "A column is mostly missing",
        "The imputed values matter more than the measured ones.",
        "Leave {it} out ({drop}), or keep only a missing-value indicator.",
    ),
    AlarmType(
        "LB042", "warning", "Missing values depend on the target",
        "Whether a cell is empty predicts the target. If it is filled in after the target is known, that is "
        "leakage; otherwise imputation discards this information.",
        "Find out when {columns} {are} filled in: if after the target, leave {it} out; otherwise add a "
        "missing-value indicator.",
    ),
    AlarmType(
        "LB043", "note", "Columns are missing together",
        "They probably come from one source that was not available for these rows.",
        "Use one missing-value indicator for {columns}: whether the source was available.",
    ),
    AlarmType(
        "LB044", "note", "Some rows are nearly empty",
        "Their predictions depend mostly on imputed values.",
        "Leave these rows out, or find out why they are empty.",
    ),
    AlarmType(
        "LB045", "note", "Few rows are complete",
        "Dropping incomplete rows would discard most of the table, and not at random.",
        "Impute missing values inside the folds, or use models that accept them.",
    ),
    AlarmType(
        "LB046", "warning", "The classes are linearly separable",
        "The coefficients of unpenalised logistic regression diverge; in real data perfect separation is suspicious.",
        "Use regularisation, and make sure that no column was computed from the target.",
    ),
    AlarmType(
        "LB047", "note", "A value occurs in only one class",
        "Its coefficient diverges without regularisation, and its estimated probability is exactly 0 or 1.",
        "Use regularisation or smoothed frequencies; check whether {columns} {are} computed from the target.",
    ),
    AlarmType(
        "LB048", "warning", "There are few rows",
        "The scores of such a small sample are so uncertain that most differences between models are chance.",
        "Collect more rows, prefer simple models, and read the confidence intervals rather than the scores.",
    ),
    AlarmType(
        "LB049", "warning", "There are as many columns as rows, or more",
        "A linear model can then fit any target exactly, including noise.",
        "Use strong regularisation, select features inside the folds, or collect more rows.",
    ),
    AlarmType(
        "LB050", "note", "There are few rows for each column",
        "Flexible models overfit; simple or regularised ones do so less.",
        "Prefer simple models, or fewer features selected inside the folds.",
    ),
    AlarmType(
        "LB051", "warning", "There are few rows for each class",
        "Most classes have too few rows for training and evaluation.",
        "Merge classes, collect more rows, or use regression if the classes are ordered.",
    ),
    AlarmType(
        "LB052", "warning", "There are fewer groups than folds",
        "Each group belongs to one fold, so there cannot be more folds than groups, and scores on few groups are "
        "uncertain.",
        "Collect more groups, or use fewer folds: --folds.",
    ),
    AlarmType(
        "LB053", "warning", "One group has most of the rows",
        "It is either entirely in the training set or entirely in the test set, so folds are very unequal.",
        "Divide it if it has natural subgroups, or weight the rows.",
    ),
    AlarmType(
        "LB054", "warning", "A few rows have nearly all the weight",
        "The scores are as uncertain as those of the few rows that count.",
        "Check the largest weights in {columns}; cap them if they are not counts.",
    ),
    AlarmType(
        "LB055", "warning", "Groups span the time split",
        "Later rows of groups seen earlier are not tested, so the scores are for new groups and rest on fewer rows.",
        "Leave out --group to predict later rows of known groups ({columns}), or --time if time does not matter.",
    ),
    AlarmType(
        "LB056", "warning", "The audit is incomplete",
        "It ended before the last checks, and problems they would have found may be severe.",
        "Let it finish; give it more time or memory: --budget, --memory.",
    ),
    AlarmType(
        "LB057", "warning", "One column predicts nearly all of the target",
        "It may be legitimate. It may also be a copy that was changed in some rows, or have been filled in "
        "afterwards.",
        "Find out when {columns} {are} known; if not before the target, leave {it} out: {drop}.",
    ),
)  # fmt: skip

CATALOGUE: dict[str, AlarmType] = {entry.code: entry for entry in _ENTRIES}
