import { type Chain, ChainUnreachableError, type RpcRequest } from '../../server/payments/chainCall.ts';

/** The result of a method: a value in the form of JSON-RPC, an error that is thrown, or a function of the parameters. */
export type ScriptedResult = unknown | Error | ((params: readonly unknown[]) => unknown);

/** One request that a test's chain received. `isVerified`: the node's network id was read with it. */
interface ScriptedRequest {
  method: string;
  params: readonly unknown[];
  isVerified: boolean;
}

/** A chain with a block every two seconds. */
export const twoSeconds = { readMs: async () => 2_000 };

/**
 * A chain whose node returns what a test sets for each method, and records the requests. As in `openChain`, a result of
 * another shape counts as a failure of the node.
 */
export function createScriptedChain(results: Record<string, ScriptedResult>) {
  const requests: ScriptedRequest[] = [];
  const answer = async <T>([method, params, shape]: RpcRequest<T>, isVerified: boolean): Promise<T> => {
    requests.push({ method, params, isVerified });
    if (!(method in results)) throw new Error(`The test sets no result for ${method}.`);
    const set = results[method];
    const result = typeof set === 'function' ? await set(params) : set;
    if (result instanceof Error) throw result;
    const read = shape.safeParse(result);
    if (!read.success) throw new ChainUnreachableError(`The result of ${method} has another shape.`);
    return read.data;
  };
  const chain: Pick<Chain, 'call' | 'callVerified' | 'callAllVerified'> = {
    call: (...request) => answer(request, false),
    callVerified: (...request) => answer(request, true),
    callAllVerified: async (...given) => {
      const all = given as readonly RpcRequest<unknown>[];
      return (await Promise.all(all.map((request) => answer(request, true)))) as never;
    },
  };
  return { chain, requests, results, methods: () => requests.map(({ method }) => method) };
}
