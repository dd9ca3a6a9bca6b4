"""Every alarm that there is. Codes are never given to another alarm; new ones are added at the end."""

from __future__ import annotations

from dataclasses import dataclass
from shlex import quote

from ..text import together
from .alarm import Alarm, Level
from .evidence import Evidence, drop_flags

ONE = {"it": "it", "they": "it", "are": "is"}  # words of a remedy for one column, and for many
MANY = {"it": "them", "they": "they", "are": "are"}


@dataclass(frozen=True, slots=True)
class Entry:
    """An alarm before it has evidence; `fix` may speak of {columns}, {drop} (as options), {first} and {they}."""

    code: str
    level: Level
    title: str
    why: str
    fix: str

    def remedy(self, column: str, drop: str = "--drop COLUMN") -> str:
        """What to do about one column, whatever it is called."""
        return self.fix.format(columns=column, drop=drop, first="COLUMN", **ONE)

    def alarm(self, found: Evidence) -> Alarm:
        """The alarm that evidence raises."""
        first = quote(found.columns[0]) if found.columns else ""
        words = ONE if len(found.columns) == 1 else MANY
        fix = self.fix.format(
            columns=together(list(map(repr, found.columns))), drop=drop_flags(found.columns), first=first, **words
        )
        return Alarm(self.code, self.level, self.title, found.text, self.why, fix, found.columns)


_ENTRIES = (
    Entry(
        "LB001", "severe", "A column is a copy of the target",
        "A model that sees it looks perfect in every test and is useless when the target is not known yet.",
        "Leave {it} out: {drop}.",
    ),
    Entry(
        "LB002", "severe", "One column predicts the target almost perfectly",
        "That is rare in honest data. Often the column was filled in after the target was known, or from it.",
        "Ask when {columns} {are} known; if not before the target, leave {it} out: {drop}.",
    ),
    Entry(
        "LB003", "warning", "A column named after the target knows much of it",
        "Columns with such names are often computed from the target, or written down together with it.",
        "Ask what {columns} {are} made from; if from the target, leave {it} out: {drop}.",
    ),
    Entry(
        "LB004", "warning", "Rows that share a value share the target",
        "If such rows belong together, as visits of one patient do, a random split puts some of them on both sides and "
        "the scores are too good for new patients.",
        "If new rows will come with new values, keep those that share one together: --group {first}.",
    ),
    Entry(
        "LB005", "warning", "The target changes with time, and rows would be split at random",
        "A random split lets a model learn from the future of the rows it is tested on.",
        "Split by time: --time {first}.",
    ),
    Entry(
        "LB006", "warning", "Neighbouring rows share the target",
        "The file seems to be in the order of time, or of groups. A random split then tests on rows whose "
        "neighbours were learned from.",
        "Say what orders the rows: --time or --group with the column, if there is one.",
    ),
    Entry(
        "LB007", "note", "There are times among the features",
        "A time that has passed never comes back, so a model that uses it must guess beyond what it has seen.",
        "If rows come one after the other, split by time: --time {first}.",
    ),
    Entry(
        "LB008", "warning", "A time is later than the time of its row",
        "What happens later is not known when the prediction is made.",
        "Leave out what is not known in time: {drop}.",
    ),
    Entry(
        "LB009", "note", "The target changes with time",
        "Rows to come may differ from all that were seen; scores on the latest rows say most.",
        "Trust the scores by time rather than an average, and study again when new rows arrive.",
    ),
    Entry(
        "LB010", "warning", "A column numbers or names the rows",
        "A new row has a value that was never seen. Trees learn it by heart; encoded, each row makes a column.",
        "Leave {it} out: {drop}.",
    ),
    Entry(
        "LB011", "note", "A column never changes",
        "What is the same in all rows tells none of them from another.",
        "Leave {it} out: {drop}.",
    ),
    Entry(
        "LB012", "note", "A column hardly ever changes",
        "Its few other rows may all fall into one fold, so what is learned from it is luck.",
        "Leave {it} out ({drop}), or join {it} with another column.",
    ),
    Entry(
        "LB013", "warning", "A column is empty",
        "It may have been lost on the way: in a join, by a wrong name, or while the file was read.",
        "Look where {columns} should come from, or leave {it} out: {drop}.",
    ),
    Entry(
        "LB014", "warning", "A column has very many categories",
        "Most of them have few rows, so models learn them by heart, and importances favour such columns.",
        "Join rare categories into one, or use what they stand for: a region instead of a town.",
    ),
    Entry(
        "LB015", "warning", "Numbers are stored as text",
        "A few words among them make each number a category, and their order is lost.",
        "Replace the words by empty cells, or turn them into a column of their own.",
    ),
    Entry(
        "LB016", "warning", "A column mixes kinds of entries",
        "The same thing may be written in two ways, such as 1 and 'one', and is then two categories.",
        "Write all entries of {columns} in one way.",
    ),
    Entry(
        "LB017", "warning", "Columns repeat each other",
        "Each of them takes a share of the importance, and their coefficients are arbitrary.",
        "Keep one of each: {drop}.",
    ),
    Entry(
        "LB018", "warning", "Columns are exact sums of others",
        "Linear models cannot tell whose effect it is: infinitely many coefficients fit equally well.",
        "Leave one column of each sum out, or use a penalty.",
    ),
    Entry(
        "LB019", "note", "Columns are nearly sums of others",
        "Predictions do not suffer, but coefficients and importances of single columns mean little.",
        "Do not read coefficients of {columns} one by one; leave some out, or use a penalty.",
    ),
    Entry(
        "LB020", "note", "Some entries are very far from the rest",
        "They may be errors of typing or of units, and they pull on means, scales and lines.",
        "Look at these rows; mend errors, take logarithms, or use a robust scale.",
    ),
    Entry(
        "LB021", "warning", "There are infinite numbers",
        "They come from divisions by zero or from numbers that are too large. Most models refuse them.",
        "Find the division in {columns}, and leave the cells empty where the result is not known.",
    ),
    Entry(
        "LB022", "warning", "A number seems to stand for missing",
        "Models take it as a measurement, and it distorts means and scales.",
        "Replace it by an empty cell in {columns}.",
    ),
    Entry(
        "LB023", "warning", "One category has several spellings",
        "Words that differ in capitals or blanks count as different categories.",
        "Write them in one way in {columns}.",
    ),
    Entry(
        "LB024", "note", "Words seem to stand for missing",
        "They are taken as a category. That is right only if 'not known' means the same in all rows.",
        "Leave these cells of {columns} empty if nothing is known.",
    ),
    Entry(
        "LB025", "note", "A column holds free text",
        "Models are told which of its most frequent words stand in a text, and nothing of their order or meaning.",
        "Make columns of what matters in it, as learnable.feature_extraction.text can, or leave {it} out: {drop}.",
    ),
    Entry(
        "LB026", "warning", "A class has fewer rows than there are folds",
        "Some folds have no row of it to learn from or to test on, so nothing can be said about it.",
        "Collect more rows of it, join it with another class, or leave its rows out.",
    ),
    Entry(
        "LB027", "warning", "One class has most of the rows",
        "A model that always answers with it has a high accuracy and finds nothing.",
        "Judge by balanced accuracy, average precision or costs (--metric), and weight the classes.",
    ),
    Entry(
        "LB028", "severe", "The target hardly ever changes",
        "There are too few other rows to learn what makes them different, or to measure whether it was learned.",
        "Collect more of the rare rows, or look for outliers instead of classes.",
    ),
    Entry(
        "LB029", "note", "The target has a long tail",
        "Squared errors are then about the few largest rows.",
        "Predict the logarithm: compose.TransformedTargetRegressor(func=np.log, inverse_func=np.exp).",
    ),
    Entry(
        "LB030", "warning", "The target looks like an id or a time",
        "It names or numbers the rows; there is nothing in the features that could tell it.",
        "Name another column: --target.",
    ),
    Entry(
        "LB031", "warning", "The target is cut off",
        "Rows at the limit lie beyond it by an unknown amount, so predictions there are too moderate.",
        "Leave these rows out, or predict whether the limit is reached as a class.",
    ),
    Entry(
        "LB032", "note", "Whole numbers may be classes or amounts",
        "As classes their order is lost; as amounts the difference between 1 and 2 counts as that between 2 and 3.",
        "Say which: --task regression, or --task multi-class.",
    ),
    Entry(
        "LB033", "note", "Some labels may be wrong",
        "Wrong labels teach the wrong thing and make good models look worse.",
        "Look at these rows; mend the label where it is wrong, never merely because a model disagrees.",
    ),
    Entry(
        "LB034", "note", "Some targets are very far from the rest",
        "Squared errors are then about these rows.",
        "Look at them; if they are right, use a robust loss or the logarithm.",
    ),
    Entry(
        "LB035", "warning", "One class has several spellings",
        "Classes that differ in capitals or blanks count as different, and models are blamed for mixing them up.",
        "Write the classes of {columns} in one way.",
    ),
    Entry(
        "LB036", "warning", "Rows are there more than once",
        "A copy on the other side of a split is a test whose answer was learned by heart.",
        "Remove the copies; if they are different cases that look alike, keep them together with --group.",
    ),
    Entry(
        "LB037", "warning", "Equal rows have different targets",
        "No model can be right on both: either labels are wrong, or a column that matters is missing.",
        "Look at these rows, mend the labels, or add what tells the rows apart.",
    ),
    Entry(
        "LB038", "warning", "Rows are all but equal",
        "Near copies on both sides of a split make scores too good: the answer was nearly learned by heart.",
        "If they are measurements of one thing, keep them together with --group.",
    ),
    Entry(
        "LB039", "warning", "The file changes from beginning to end",
        "Its parts come from different times or sources. Rows to come may be like the last part, or like none.",
        "Split by what changed, with --time or --group, rather than at random.",
    ),
    Entry(
        "LB040", "note", "The rows are sorted by the target",
        "Folds cut from such a file without shuffling would each see other classes or amounts.",
        "A study shuffles by itself; do so too in code of your own: KFold(shuffle=True).",
    ),
    Entry(
        "LB041", "warning", "A column is mostly missing",
        "What fills the gaps decides more than what was measured.",
        "Leave {it} out ({drop}), or keep only whether {they} {are} known.",
    ),
    Entry(
        "LB042", "warning", "Missing entries go with the target",
        "Whether a cell is filled tells the target. If it is filled after the target is known, that is leakage; if "
        "before, filling the gaps throws information away.",
        "Ask when {columns} {are} filled in: leave {it} out if that is afterwards, else add a column for the gaps.",
    ),
    Entry(
        "LB043", "note", "Columns are missing together",
        "They come from one source that was not there for these rows.",
        "Treat the gaps of {columns} as one fact: whether the source was there.",
    ),
    Entry(
        "LB044", "note", "Some rows are nearly empty",
        "What a model says of them rests on the values that fill the gaps.",
        "Leave these rows out, or look why they are empty.",
    ),
    Entry(
        "LB045", "note", "Few rows are complete",
        "Whoever leaves out incomplete rows throws most of the table away, and not at random.",
        "Fill gaps inside the folds, or use models that take them as they are.",
    ),
    Entry(
        "LB046", "warning", "A plane divides the classes without an error",
        "Coefficients of logistic regression without penalty grow without end; on real data it is suspicious.",
        "Use a penalty, and make sure that no column was made from the target.",
    ),
    Entry(
        "LB047", "note", "All rows with some value are of one class",
        "Its coefficient grows without end where there is no penalty, and its probability is exactly 0 or 1.",
        "Use a penalty, or smooth the shares; ask whether {columns} {are} made from the target.",
    ),
    Entry(
        "LB048", "warning", "There are few rows",
        "Scores of so few rows are so vague that most differences between models are luck.",
        "Collect more rows, prefer simple models, and read the intervals rather than the scores.",
    ),
    Entry(
        "LB049", "warning", "There are as many columns as rows, or more",
        "A linear model can then fit any target exactly, noise too.",
        "Use a strong penalty, choose columns inside the folds, or collect more rows.",
    ),
    Entry(
        "LB050", "note", "There are few rows for each column",
        "Flexible models find patterns in noise; simple or penalised ones do less so.",
        "Prefer simple models, or fewer columns chosen inside the folds.",
    ),
    Entry(
        "LB051", "warning", "There are few rows for each class",
        "Most classes have too few rows to learn from and to be judged by.",
        "Join classes, collect more rows, or predict an amount if the classes have an order.",
    ),
    Entry(
        "LB052", "warning", "There are fewer groups than folds",
        "Each group is in one fold, so there can be no more folds than groups, and a score of few groups is vague.",
        "Collect more groups, or use fewer folds: --folds.",
    ),
    Entry(
        "LB053", "warning", "One group has most of the rows",
        "It is either all learned from or all tested on, so folds are very unequal.",
        "Divide it if it has natural parts, or weight the rows.",
    ),
    Entry(
        "LB054", "warning", "Few rows have nearly all the weight",
        "Scores are as vague as those of the few rows that count.",
        "Look at the largest weights in {columns}; cap them if they are no counts.",
    ),
    Entry(
        "LB055", "warning", "The same groups come early and late",
        "Later rows whose group was there before are in no test, so scores are those of new groups, on fewer rows.",
        "Leave out --group if later rows of the same {columns} will be asked about, or --time if time does not matter.",
    ),
    Entry(
        "LB056", "warning", "The table was not looked through to the end",
        "It ended before the last checks. What they would have found is not known, and may be severe.",
        "Let it run to its end; give it more time or memory: --budget, --memory.",
    ),
    Entry(
        "LB057", "warning", "One column tells nearly all of the target",
        "It may be honest. It may also be a copy that was changed in some rows, or have been filled in afterwards.",
        "Ask when {columns} {are} known; if not before the target, leave {it} out: {drop}.",
    ),
)  # fmt: skip

CATALOGUE: dict[str, Entry] = {entry.code: entry for entry in _ENTRIES}
