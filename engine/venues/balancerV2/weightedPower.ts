const one = 10n ** 18n;
const one20 = 10n ** 20n;
const one36 = 10n ** 36n;

/** Powers of e with 20 decimals, from e^16 down to e^(1/16). */
const exponentials: readonly (readonly [exponent: bigint, value: bigint])[] = [
  [1_600_000000000000000000n, 888_611_052_050_787_263_676_000_000n],
  [800_000000000000000000n, 298_095_798_704_172_827_474_000n],
  [400_000000000000000000n, 5_459_815_003_314_423_907_810n],
  [200_000000000000000000n, 738_905_609_893_065_022_723n],
  [100_000000000000000000n, 271_828_182_845_904_523_536n],
  [50_000000000000000000n, 164_872_127_070_012_814_685n],
  [25_000000000000000000n, 128_402_541_668_774_148_407n],
  [12_500000000000000000n, 113_314_845_306_682_631_683n],
  [6_250000000000000000n, 106_449_445_891_785_942_956n],
];
/** Without the two smallest, which only logarithms use. */
const forExponents = exponentials.slice(0, -2);

/** Bases above this have logarithms with 36 decimals. */
const near = one - 10n ** 17n;

/**
 * base^exponent with 18 decimals and the rounding of Balancer's LogExpMath. Only for the range of weighted pools, bases
 * from 1/1.3 to 1 and exponents up to 99, so its larger powers of e are omitted. BigInt divides towards zero, as
 * Solidity does.
 */
export function power(base: bigint, exponent: bigint): bigint {
  if (base <= near) return exp((ln(base) * exponent) / one);
  const logarithm = series(base * one, one36, 15n);
  return exp(((logarithm / one) * exponent + ((logarithm % one) * exponent) / one) / one);
}

/** e^exponent for an exponent of at most 0. */
function exp(exponent: bigint): bigint {
  let rest = -exponent * 100n;
  let product = one20;
  for (const [part, value] of forExponents) {
    if (rest < part) continue;
    rest -= part;
    product = (product * value) / one20;
  }
  let sum = one20 + rest;
  let term = rest;
  for (let n = 2n; n <= 12n; n++) {
    term = (term * rest) / one20 / n;
    sum += term;
  }
  return (one * one) / ((product * sum) / one20 / 100n);
}

/** Natural logarithm of a base below 1, computed from its inverse. */
function ln(base: bigint): bigint {
  let rest = ((one * one) / base) * 100n;
  let sum = 0n;
  for (const [part, value] of exponentials) {
    if (rest < value) continue;
    rest = (rest * one20) / value;
    sum += part;
  }
  return -((sum + series(rest, one20, 11n)) / 100n);
}

/** ln(x) = 2 · (z + z³/3 + z⁵/5 + …) with z = (x − 1) / (x + 1), up to the given power. */
function series(x: bigint, unit: bigint, last: bigint): bigint {
  const z = ((x - unit) * unit) / (x + unit);
  const squared = (z * z) / unit;
  let term = z;
  let sum = z;
  for (let n = 3n; n <= last; n += 2n) {
    term = (term * squared) / unit;
    sum += term / n;
  }
  return sum * 2n;
}
