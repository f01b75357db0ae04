"""Tables of mixed types, made up so that nothing has to be downloaded and the error that cannot be avoided is known.

Each function gives a data frame with the class in `class`, and the chance of the second class in every row.
"""

import numpy as np
import pandas as pd


def odds(score):
    return 1 / (1 + np.exp(-score))


def gaps(rng, frame, shares):
    """Cells that are missing at random, by column."""
    for column, share in shares.items():
        frame[column] = frame[column].astype(object).where(rng.random(len(frame)) >= share, None)
    return frame


def passengers(rng, n):
    """Like the passengers of a ship: few columns, of which the age is often missing."""
    sex = rng.choice(["male", "female"], n, p=[0.65, 0.35])
    cabin = rng.choice(["first", "second", "third"], n, p=[0.25, 0.2, 0.55])
    age = np.clip(rng.normal(30, 14, n), 0.5, 80).round()
    relatives = rng.poisson(0.9, n)
    fare = (np.exp(rng.normal(2.4, 0.5, n)) * np.select([cabin == "first", cabin == "second"], [4.0, 1.7], 1.0)).round(2)
    port = rng.choice(["Southampton", "Cherbourg", "Queenstown"], n, p=[0.7, 0.2, 0.1])
    score = 2.6 * (sex == "female") - 1.1 * (cabin == "third") + 0.9 * (cabin == "first") - 1.1
    score += 1.8 * (age < 12) * (relatives < 3) - 0.8 * (relatives > 3) - 1.2 * (sex == "female") * (cabin == "third")
    score += 0.4 * (port == "Cherbourg") - 0.01 * (age - 30)
    frame = pd.DataFrame(
        {"cabin": cabin, "sex": sex, "age": age, "relatives": relatives, "fare": fare, "port": port}
    )
    return gaps(rng, frame, {"age": 0.2, "port": 0.01}), odds(score)


def census(rng, n):
    """Like a census: many categories, some of them rare, skewed amounts, gaps that mean something."""
    age = np.clip(rng.gamma(6, 6.5, n), 17, 90).round()
    years = np.clip(rng.normal(10, 2.6, n), 1, 16).round()
    jobs = ["clerk", "craft", "sales", "service", "manager", "professional", "driver", "farmer", "guard", "servant"]
    job = rng.choice(jobs, n, p=[0.14, 0.15, 0.13, 0.13, 0.13, 0.14, 0.1, 0.05, 0.025, 0.005])
    married = rng.choice(["married", "single", "divorced", "widowed"], n, p=[0.47, 0.33, 0.16, 0.04])
    hours = np.clip(rng.normal(40, 11, n), 2, 99).round()
    gain = np.where(rng.random(n) < 0.08, np.exp(rng.normal(8.2, 1.3, n)), 0).round()
    countries = [f"country {k}" for k in range(30)]
    share = 0.5 ** np.arange(30) + 0.002
    country = rng.choice(countries, n, p=share / share.sum())
    member = rng.random(n) < 0.3
    score = -5.2 + 0.28 * years + 0.09 * (hours - 40) * (hours > 30) / 4 + 1.9 * (married == "married")
    score += 1.4 * np.isin(job, ["manager", "professional"]) - 1.1 * np.isin(job, ["servant", "farmer", "service"])
    score += -0.004 * (age - 48) ** 2 / 2 + 1.2 * np.log1p(gain / 3000) + 0.3 * member * (age > 40)
    frame = pd.DataFrame(
        {
            "age": age, "years at school": years, "job": job, "marriage": married, "hours": hours, "gain": gain,
            "country": country, "member": member,
        }
    )  # fmt: skip
    idle = (rng.random(n) < 0.06) & (score < 0)
    frame["job"] = frame["job"].where(~idle, None)
    return gaps(rng, frame, {"country": 0.02}), odds(score)


def credit(rng, n):
    """Like applications for credit: dates, truth values, codes, amounts over orders of magnitude."""
    purpose = rng.choice(["car", "furniture", "radio", "education", "business", "repairs", "holiday"], n)
    amount = np.exp(rng.normal(7.8, 0.8, n)).round()
    months = rng.choice([6, 9, 12, 18, 24, 36, 48, 60], n)
    since = pd.Timestamp("2005-01-01") + pd.to_timedelta(rng.integers(0, 5800, n), "D")
    owner = rng.random(n) < 0.4
    account = rng.choice(["none", "overdrawn", "small", "large"], n, p=[0.35, 0.27, 0.27, 0.11])
    income = np.exp(rng.normal(7.6, 0.5, n)).round()
    branch = rng.choice([f"B{k:03d}" for k in range(60)], n)
    rate = amount / months / income
    good = dict(zip([f"B{k:03d}" for k in range(60)], np.random.default_rng(5).normal(0, 0.5, 60), strict=True))
    score = -1.6 + 4.5 * np.tanh(rate * 4) - 0.7 * owner + 1.3 * (account == "overdrawn") - 1.0 * (account == "large")
    score += 0.8 * np.isin(purpose, ["holiday", "education"]) - 0.6 * (since < pd.Timestamp("2012-01-01"))
    score += 0.6 * (months > 30) * ~owner + np.array([good[b] for b in branch])
    frame = pd.DataFrame(
        {
            "purpose": purpose, "amount": amount, "months": months, "customer since": since, "owner": owner,
            "account": account, "income": income, "branch": branch,
        }
    )  # fmt: skip
    return gaps(rng, frame, {"income": 0.15, "purpose": 0.03}), odds(score)


TABLES = {"passengers": passengers, "census": census, "credit": credit}


def draw(name, n, seed):
    """A table with its classes, and the least error that any rule could have on it."""
    rng = np.random.default_rng(seed)
    frame, chance = TABLES[name](rng, n)
    y = np.where(rng.random(n) < chance, "yes", "no")
    return frame.infer_objects(), y, float(np.minimum(chance, 1 - chance).mean())
