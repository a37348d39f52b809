import type { z } from 'zod';
import { appRouter } from './appRouter.ts';
import type { FreeTerms } from './freeTerms.ts';
import type { PaidTerms } from './paidTerms.ts';
import type { ProcedureMeta } from './trpc.ts';

/** What every procedure states. */
interface Item {
  /** The procedure's name, e.g. `quote`; on tRPC the last segment of the path. */
  name: string;
  /** The canonical REST path; aliases are the same endpoint. */
  path: string;
  summary: string;
  description: string;
  input: z.ZodObject;
  output: z.ZodObject;
}

/** A paid product, as its procedure defines it. */
export interface PaidItem extends Item, PaidTerms {}

/** A free call with a body, as its procedure defines it. */
export interface FreeItem extends Item, FreeTerms {}

/** The name of a procedure's MCP tool: `pretradeCheck` becomes `pretrade_check`. */
export function toolName({ name }: Pick<Item, 'name'>): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

const items = Object.entries(appRouter._def.procedures).map(([name, procedure]) => {
  const { meta, inputs, output } = procedure._def as unknown as {
    meta?: ProcedureMeta;
    inputs: z.ZodObject[];
    output?: z.ZodObject;
  };
  const [input] = inputs;
  if (!meta?.openapi || !input || !output || !meta.paid === !meta.free) {
    throw new TypeError(`Procedure ${name} must state paid or free terms, an OpenAPI path, an input and an output.`);
  }
  const { path, summary = name, description = summary } = meta.openapi;
  return { item: { name, path, summary, description, input, output }, paid: meta.paid, free: meta.free };
});

/** All paid procedures of the router, in its order. */
export const catalogue: readonly PaidItem[] = items.flatMap(({ item, paid }) => (paid ? [{ ...paid, ...item }] : []));

/** All free procedures of the router, in its order. */
export const freeCalls: readonly FreeItem[] = items.flatMap(({ item, free }) => (free ? [{ ...free, ...item }] : []));
