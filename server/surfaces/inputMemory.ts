import { canonicalJson, type PaidItem, parseInput } from '../../router/index.ts';
import { parseJson } from '../http/readBody.ts';

/** A body that keeps its procedure's schema. */
interface KnownInput {
  input: Record<string, unknown>;
  /** What a payment is bound to. */
  canonicalInput: string;
}

/** A question has a few hundred bytes. What is longer, with its content type, is read each time. */
const longestKey = 1_024;
const rememberedBodies = 2_000;

/**
 * Reads bodies, and remembers the good ones: whoever is asked for payment sends the same body again with it.
 * Refusals are not remembered.
 */
export function createInputMemory(): (item: PaidItem, contentType: string | undefined, bytes: Buffer) => KnownInput {
  const known = new Map<string, KnownInput>();
  return (item, contentType, bytes) => {
    // No header holds a line break, so that none reaches into the body.
    const facts = `${item.name} ${contentType}\n`;
    const key = facts.length + bytes.length > longestKey ? undefined : facts + bytes.toString('latin1');
    const found = key === undefined ? undefined : known.get(key);
    if (found) return found;
    const input = parseInput(item, parseJson(contentType, bytes));
    const read = { input, canonicalInput: canonicalJson(input) };
    if (key !== undefined) {
      if (known.size >= rememberedBodies) known.delete(known.keys().next().value ?? '');
      known.set(key, read);
    }
    return read;
  };
}
