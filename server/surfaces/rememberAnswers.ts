import { assertTicket, canonicalJson, RequestError, type RouterContext } from '../../router/index.ts';
import type { StoredAnswer } from '../payment/index.ts';
import type { Runner } from './runner.ts';

/** An answer has two to six thousand bytes. */
const rememberedAnswers = 500;

interface Remembered {
  answer: StoredAnswer;
  validUntil: number;
}

/**
 * A runner that gives, while an answer stands, the bytes that it gave before: the engine would answer the same, and
 * validating and writing it out again takes longer than all else about it. The ticket is asked for all the same.
 *
 * @param now milliseconds since the epoch
 * @param onRemembered told of each answer that was given again, by what was sold
 */
export function rememberAnswers(run: Runner, now: () => number, onRemembered?: (paid: string) => void): Runner {
  const known = new Map<string, Remembered>();
  return async (item, input, context) => {
    const canonicalInput = canonicalJson(input);
    const key = `${item.name} ${canonicalInput}`;
    const found = known.get(key);
    if (found && found.validUntil > now()) {
      const failure = findTicketFault(context, item.name, canonicalInput);
      if (failure) return { ok: false, failure };
      onRemembered?.(item.name);
      return { ok: true, answer: found.answer };
    }
    known.delete(key);
    const outcome = await run(item, input, context);
    if (outcome.ok) {
      if (known.size >= rememberedAnswers) known.delete(known.keys().next().value ?? '');
      known.set(key, { answer: outcome.answer, validUntil: validUntilOf(outcome.answer) });
    }
    return outcome;
  };
}

/** As the locked door itself would refuse. */
function findTicketFault({ ticket }: RouterContext, name: string, canonicalInput: string): RequestError | undefined {
  try {
    assertTicket(ticket, name, canonicalInput);
    return undefined;
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    return error;
  }
}

/** Every paid answer says so; one that did not would be worked out each time. */
function validUntilOf({ body }: StoredAnswer): number {
  const { validUntil } = JSON.parse(body) as { validUntil?: unknown };
  return typeof validUntil === 'number' ? validUntil : 0;
}
