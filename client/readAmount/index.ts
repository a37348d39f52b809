/** An amount as the service takes it, or why the text is none. */
export type ReadAmount = { amount: string } | { problem: string };

/** The service accepts no longer amount. */
const mostCharacters = 78;

/**
 * Reads an amount as people write it: `2,500`, `2 500`, `.5`, `5.`, with spaces around it.
 * @returns a decimal as the service takes it, or one sentence that states what to write
 */
export function readAmount(text: string): ReadAmount {
  // Copied text may contain invisible characters.
  const written = text.replace(/\p{Cf}/gu, '').trim();
  // Groups of three digits only: in `2,5` the comma may be a decimal point.
  const isGrouped = /^\d{1,3}([, '_\u00a0\u202f])\d{3}(?:\1\d{3})*(?:\.\d*)?$/.test(written);
  const plain = isGrouped ? written.replace(/[^\d.]/g, '') : written;
  // `1 000,50` and `1.000,50` are as common as `2,5`.
  if (/^(?:\d+|\d{1,3}(?:[. '_\u00a0\u202f]\d{3})+),\d+$/.test(plain))
    return { problem: `Write decimals with a point: ${plain.replace(/[^\d,]/g, '').replace(',', '.')}.` };
  if (/^[-\u2212]/.test(plain)) return { problem: 'The amount must be above 0.' };
  if (/^[\d.]+e[+-]?\d+$/i.test(plain)) return { problem: 'Write all digits, without an exponent.' };
  if (!/^(?:\d+\.?\d*|\.\d+)$/.test(plain)) return { problem: 'Write a number, for example 2.5 or 2,500.' };
  if (!/[1-9]/.test(plain)) return { problem: 'The amount must be above 0.' };
  const [whole = '', fraction = ''] = plain.split('.');
  const amount = `${whole.replace(/^0+/, '') || '0'}${fraction && '.'}${fraction}`;
  return amount.length > mostCharacters
    ? { problem: `The amount has more than ${mostCharacters} characters.` }
    : { amount };
}
