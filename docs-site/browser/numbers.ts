const significant = new Intl.NumberFormat('en', { maximumSignificantDigits: 7 });
const hundredths = new Intl.NumberFormat('en', { maximumFractionDigits: 2 });
const money = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD', maximumFractionDigits: 2 });
const compactMoney = new Intl.NumberFormat('en', {
  style: 'currency',
  currency: 'USD',
  notation: 'compact',
  maximumFractionDigits: 2,
});
const fractionOfCent = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD', maximumSignificantDigits: 2 });

const power = new Intl.NumberFormat('en', { notation: 'scientific', maximumFractionDigits: 2 });

/** Above it a number would fill lines with zeros, so it is a power of ten: 1.2E77. */
const mostDigits = 1e15;

/** Rounded for display; the JSON beside it contains the exact value. */
export function toFigure(value: number): string {
  const size = Math.abs(value);
  return (size >= mostDigits || (size > 0 && size < 1e-9) ? power : significant).format(value);
}
/** With two decimals at most, for percent, basis points and days. */
export const toRounded = (value: number): string =>
  Math.abs(value) >= mostDigits ? power.format(value) : hundredths.format(Math.round(value * 100) / 100 + 0);
/** Two decimals; two digits below a cent, so that no small value reads as zero. */
export function toMoney(value: number): string {
  const size = Math.abs(value);
  if (size >= mostDigits) return `$${power.format(value)}`;
  if (size >= 1e6) return compactMoney.format(value);
  return (size > 0 && size < 0.01 ? fractionOfCent : money).format(value);
}
export const toPercent = (share: number): string => `${toRounded(share * 100)} %`;

/** Base units as whole units, with every digit. */
export function toWhole(amount: string, decimals: number): string {
  const digits = amount.padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals).replace(/\B(?=(\d{3})+$)/g, ',');
  const rest = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return decimals > 0 && rest ? `${whole}.${rest}` : whole;
}

/** 0x1234…abcd */
export const shorten = (hex: string): string => (hex.length > 14 ? `${hex.slice(0, 6)}…${hex.slice(-4)}` : hex);

/** 2026-11-22 17:00:03 UTC */
export const toTime = (epochMs: number): string =>
  Number.isFinite(epochMs) ? `${new Date(epochMs).toISOString().slice(0, 19).replace('T', ' ')} UTC` : 'time unknown';
