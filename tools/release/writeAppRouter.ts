import { catalogue, errorBody, errorTable, freeCalls } from '../../router/index.ts';
import { declareType, wireNames } from './writeWireTypes.ts';

/**
 * Returns the source of `trpc/appRouter.d.ts` in the published package: the router's type for a tRPC client, without the
 * server's context and metadata. It imports `BuiltRouter` from `unstable-core-do-not-import`, because tRPC 11.0 does not
 * export it publicly.
 */
export function writeAppRouter(): string {
  const calls = [...catalogue, ...freeCalls];
  const procedures = calls.map(({ name }) => {
    const [request, answer] = wireNames(name);
    return `  ${name}: TRPCMutationProcedure<{ input: ${request}; output: ${answer}; meta: object; errorShape: ErrorShape }>;\n`;
  });
  const errors = Object.values(errorTable);
  const used = calls.flatMap(({ name }) => wireNames(name)).sort();
  return `import type { TRPCMutationProcedure } from '@trpc/server';
import type { TRPC_ERROR_CODE_NUMBER } from '@trpc/server/rpc';
import type { BuiltRouter } from '@trpc/server/unstable-core-do-not-import';
import type { ${used.join(', ')} } from '../wire.js';

${declareType('ErrorReason', errorBody, 'output')}
export type ErrorShape = {
  code: TRPC_ERROR_CODE_NUMBER;
  message: string;
  data: {
    code: ${union(errors.map(({ trpcCode }) => trpcCode))};
    httpStatus: ${union(errors.map(({ status }) => status))};
    path: string | null;
    reason: ErrorReason;
  };
};

export type AppRouter = BuiltRouter<
  { ctx: object; meta: object; errorShape: ErrorShape; transformer: false },
  {
  ${procedures.join('  ')}  }
>;
`;
}

function union(values: (string | number)[]): string {
  return [...new Set(values)].map((value) => JSON.stringify(value)).join(' | ');
}
