const significant = new Intl.NumberFormat('en', { maximumSignificantDigits: 7 });
const money = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD', maximumFractionDigits: 2 });
const compactMoney = new Intl.NumberFormat('en', {
  style: 'currency',
  currency: 'USD',
  notation: 'compact',
  maximumFractionDigits: 2,
});

/** Rounded for display; the JSON beside it contains the exact value. */
export const toFigure = (value: number): string => significant.format(value);
export const toMoney = (value: number): string => (Math.abs(value) >= 1e6 ? compactMoney : money).format(value);
export const toPercent = (share: number): string => `${significant.format(Math.round(share * 1e6) / 1e4)} %`;

/** Base units as whole units, with every digit. */
export function toWhole(amount: string, decimals: number): string {
  const digits = amount.padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals).replace(/\B(?=(\d{3})+$)/g, ',');
  const rest = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return decimals > 0 && rest ? `${whole}.${rest}` : whole;
}

/** 0x1234…abcd */
export const shorten = (hex: string): string => (hex.length > 14 ? `${hex.slice(0, 6)}…${hex.slice(-4)}` : hex);
