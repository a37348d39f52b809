import { RequestError } from '../../../router/index.ts';

/** A question is flat, a payment at most as deep as the extensions it echoes. */
const deepest = 40;

/**
 * What is written out as JSON again must not end the stack: parsing goes deeper than writing.
 * @throws {RequestError} INVALID_REQUEST
 */
export function assertShallow(what: string, value: unknown): void {
  if (isDeeper(value, deepest))
    throw new RequestError('INVALID_REQUEST', `${what} is nested deeper than ${deepest}. Nothing was charged.`);
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((part) => isDeeper(part, levels - 1));
}
