import type { z } from 'zod';
import { commonVariables } from './commonVariables.ts';
import { liveVariables } from './liveVariables.ts';
import { type VariableFacts, variableFacts } from './variableFacts.ts';

/** An environment variable of the service. */
export interface Variable extends VariableFacts {
  name: string;
  /** The default in the format of an environment file; undefined without a default. */
  defaultValue: string | undefined;
}

const mode: Variable = {
  name: 'TRUEFILL_MODE',
  section: 'Address',
  description: 'live or sandbox. Default: live if any RPC URL is set, else sandbox.',
  defaultValue: undefined,
};

/** Every variable that the service reads, in the order of the guide. */
export const variables: readonly Variable[] = [
  mode,
  ...Object.entries({ ...commonVariables.shape, ...liveVariables.shape }).map(([name, schema]) =>
    toVariable(name, schema),
  ),
];

const byName = new Map(variables.map((variable) => [variable.name, variable]));

/** Maximum length of a value in an error message: a longer value may be a key in the wrong variable. */
const maxPrintedLength = 24;

/** Whether an error message may contain this value of a variable. */
export function isRepeatable(name: string, value: string): boolean {
  const variable = byName.get(name);
  return variable !== undefined && !variable.isPrivate && value.length <= maxPrintedLength;
}

/** Variables of the client, which the service ignores. */
const clientVariables = ['TRUEFILL_KEY', 'TRUEFILL_RESUME', 'TRUEFILL_URL'];
/** The prefixes of this service's variables: an unknown variable with one of them is probably misspelt. */
const ownPrefixes =
  /^(TRUEFILL|RPC_URL(?!_)|PAY_TO|FACILITATOR|CDP_API_KEY|RATE_LIMIT|FREE_TRIAL|CONTRACT_WALLET_GAS|ANSWER_RETENTION|QUOTE_DEADLINE|FRESHNESS_MS|METRICS|RECEIPT_SIGNING|BLOCKSCOUT|ETHERSCAN|DEXSCREENER|GECKOTERMINAL|LOG_INDEX|POOL_INDEX|VENDOR_TIMEOUT|TRUSTED_PROX)/;

/** Faults for unknown variables with the service's prefixes. */
export function unknownVariableFaults(environment: Record<string, string | undefined>): string[] {
  return Object.keys(environment)
    .filter((name) => ownPrefixes.test(name) && !byName.has(name) && !clientVariables.includes(name))
    .map((name) => {
      const similar = findSimilar(name);
      return `${name} is not a variable of truefill${similar ? `: did you mean ${similar}?` : ''}`;
    });
}

/** The known name with the smallest edit distance; undefined if that exceeds a third of the name's length. */
function findSimilar(name: string): string | undefined {
  const [best] = variables
    .map((variable) => ({ name: variable.name, edits: countEdits(name, variable.name) }))
    .toSorted((left, right) => left.edits - right.edits);
  return best && best.edits <= best.name.length / 3 ? best.name : undefined;
}

/** Levenshtein distance. */
function countEdits(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let at = 1; at <= left.length; at++) {
    const next = [at];
    for (let to = 1; to <= right.length; to++) {
      const replaced = (row[to - 1] ?? 0) + (left[at - 1] === right[to - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[to] ?? 0) + 1, (next[to - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

function toVariable(name: string, schema: z.ZodType): Variable {
  const facts = variableFacts.get(schema);
  if (!facts) throw new TypeError(`${name} has no entry in variableFacts.`);
  const parsed = schema.safeParse(undefined);
  return { name, ...facts, defaultValue: parsed.success ? toText(parsed.data) : undefined };
}

function toText(value: unknown): string | undefined {
  return value === undefined ? undefined : Array.isArray(value) ? value.join(',') : String(value);
}
