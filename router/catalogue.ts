import type { z } from 'zod';
import { appRouter } from './appRouter.ts';
import type { PaidTerms } from './paidTerms.ts';
import type { ProcedureMeta } from './trpc.ts';

/** A paid product, as its procedure defines it. */
export interface PaidItem extends PaidTerms {
  /** The procedure's name, e.g. `quote`; on tRPC the last segment of the path. */
  name: string;
  /** The canonical REST path; aliases are the same endpoint. */
  path: string;
  summary: string;
  description: string;
  input: z.ZodObject;
  output: z.ZodObject;
}

/** The name of a procedure's MCP tool: `pretradeCheck` becomes `pretrade_check`. */
export function toolName({ name }: Pick<PaidItem, 'name'>): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** All paid procedures of the router, in its order. */
export const catalogue: readonly PaidItem[] = Object.entries(appRouter._def.procedures).map(([name, procedure]) => {
  const { meta, inputs, output } = procedure._def as unknown as {
    meta?: ProcedureMeta;
    inputs: z.ZodObject[];
    output?: z.ZodObject;
  };
  const [input] = inputs;
  if (!meta?.paid || !meta.openapi || !input || !output) {
    throw new TypeError(`Procedure ${name} must state paid terms, an OpenAPI path, an input and an output.`);
  }
  const { path, summary = name, description = summary } = meta.openapi;
  return { ...meta.paid, name, path, summary, description, input, output };
});
