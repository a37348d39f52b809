import { join } from 'node:path';
import { writeAppRouter } from '../../tools/release/writeAppRouter.ts';
import { writeWireTypes } from '../../tools/release/writeWireTypes.ts';
import { compile } from './packageProject.ts';

const root = join(import.meta.dirname, '..', '..');

const compareWire = (theirs: string) => `
import type * as ours from '${join(root, 'client', 'wire.ts')}';
import type * as theirs from './${theirs}';
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : never) : never;
export const all: true[] = [
  true satisfies Same<ours.QuoteRequest, theirs.QuoteRequest>,
  true satisfies Same<ours.Quote, theirs.Quote>,
  true satisfies Same<ours.PretradeRequest, theirs.PretradeRequest>,
  true satisfies Same<ours.PublishedCheck, theirs.PublishedCheck>,
  true satisfies Same<ours.Health, theirs.Health>,
  true satisfies Same<ours.ErrorCode, theirs.ErrorCode>,
];
`;

const compareRouter = (theirs: string) => `
import type { TRPCClient } from '@trpc/client';
import type { AnyTRPCRouter, inferRouterError, inferRouterInputs, inferRouterOutputs, inferTRPCClientTypes } from '@trpc/server';
import type { AppRouter as Ours } from '${join(root, 'client', 'trpc', 'appRouter.ts')}';
import type { AppRouter as Theirs } from './trpc/${theirs}';
type IsAny<T> = 0 extends 1 & T ? true : false;
type Same<A, B> = [IsAny<A>, IsAny<B>] extends [false, false] ? [A] extends [B] ? ([B] extends [A] ? true : never) : never : never;
type ClientTypes<R extends AnyTRPCRouter> = [
  inferRouterInputs<R>, inferRouterOutputs<R>, inferRouterError<R>, inferTRPCClientTypes<R>['transformer'], TRPCClient<R>, keyof R['_def']['record'],
];
type Each<A extends unknown[], B extends unknown[]> = { [I in keyof A]: I extends keyof B ? Same<A[I], B[I]> : never };
export const all: Each<ClientTypes<Ours>, ClientTypes<Theirs>> = [true, true, true, true, true, true];
export const procedures: Each<[Ours['quote']['_def']['type']], [Theirs['quote']['_def']['type']]> = [true];
`;

/** Changes of the published router type that the comparison must detect: file name, text and its replacement. */
export const routerChanges = [
  ['lessReason', '"requestId"', '"requestIdentifier"'],
  ['otherStatus', 'httpStatus: 400', 'httpStatus: 401'],
  ['lessProcedures', 'pretradeCheck:', 'check:'],
  ['otherOutput', 'output: Quote;', 'output: PublishedCheck;'],
] as const;

/** Compares the published wire types with the sources. Returns the files with errors: only the deliberately changed one. */
export function compareWireTypes(project: string): Promise<string[]> {
  const files = {
    'wire.d.ts': writeWireTypes(),
    'sameWire.ts': compareWire('wire.d.ts'),
    'otherWire.d.ts': writeWireTypes().replace('"amountOut": string', '"amountOut": number'),
    'differentWire.ts': compareWire('otherWire.d.ts'),
  };
  // zod's types of optional fields include undefined; the published types do not.
  return findFaultyFiles(files, project, { exactOptionalPropertyTypes: false });
}

/** Compares the published router type with the service's. Returns the files with errors: only the changed ones. */
export function compareRouterTypes(project: string): Promise<string[]> {
  const files = {
    'wire.d.ts': writeWireTypes(),
    'trpc/appRouter.d.ts': writeAppRouter(),
    'sameRouter.ts': compareRouter('appRouter.d.ts'),
    ...Object.fromEntries(
      routerChanges.flatMap(([name, from, to]) => [
        [`trpc/${name}.d.ts`, writeAppRouter().replace(from, to)],
        [`${name}.ts`, compareRouter(`${name}.d.ts`)],
      ]),
    ),
  };
  return findFaultyFiles(files, project, { exactOptionalPropertyTypes: true });
}

async function findFaultyFiles(files: Record<string, string>, project: string, options: object): Promise<string[]> {
  // The options of the repository, because the comparison imports its sources.
  const more = { target: 'ES2023', skipLibCheck: true, ...options };
  const output = await compile(files, project, more);
  return [...new Set(output.split('\n').flatMap((line) => /^(\S+)\(.*: error TS/.exec(line)?.[1] ?? []))];
}
