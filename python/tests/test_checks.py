"""scikit-learn's own checks, for every estimator as it comes and with all settings fixed; none is expected to fail."""

from estimators import ALL, FIXABLE, fixed
from sklearn.utils.estimator_checks import parametrize_with_checks

import kernsieve


@parametrize_with_checks(
    [cls() for cls in ALL]
    + [fixed(cls) for cls in FIXABLE]
    + [kernsieve.AutoClassifier(budget=0.0), kernsieve.SieveSelector(kernsieve.LDA())],
)
def test_scikit_learn(estimator, check):
    check(estimator)
