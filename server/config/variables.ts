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

function toVariable(name: string, schema: z.ZodType): Variable {
  const facts = variableFacts.get(schema);
  if (!facts) throw new TypeError(`${name} has no entry in variableFacts.`);
  const parsed = schema.safeParse(undefined);
  return { name, ...facts, defaultValue: parsed.success ? toText(parsed.data) : undefined };
}

function toText(value: unknown): string | undefined {
  return value === undefined ? undefined : Array.isArray(value) ? value.join(',') : String(value);
}
