import { type ChainName, chainNames } from './chain/chains.ts';
import { type CodeReading, readCode } from './chain/readCode.ts';
import { readWithFallback } from './chain/readWithFallback.ts';
import type { Engine, EnginePorts, PretradeChecker } from './engineTypes.ts';
import { ChainUnavailableError, WrongChainError } from './errors.ts';
import { toLowerAddress } from './lowerAddress.ts';
import { createMarketPreparation } from './marketPreparation.ts';
import { createPretrade } from './pretrade/createPretrade.ts';
import { quote } from './quote/answer/quote.ts';
import { assertRead } from './quote/market/market.ts';
import { readMarket } from './quote/market/readMarket.ts';
import { flagNative, queryKey, toQuoteQuery, withWrappedNative } from './quote/query/toQuoteQuery.ts';
import { quotersOnlyFlag, readByQuoters } from './quote/quoters/readByQuoters.ts';
import type { QuoteAnswer, QuoteQuery } from './quote/quoteTypes.ts';
import { createAnswerCache } from './quote/share/answerCache.ts';
import { createServedChain, type ServedChain } from './servedChain.ts';

/** `reach` sends no request if a node of the chain responded within this time. */
const recentContactMs = 2_000;
/** How long existing code is cached. Contracts rarely lose it, and a quote of one that did has the flag NOT_A_TOKEN. */
const codeTtlMs = 3_600_000;

/**
 * Builds the engine. It sends no request before `start` or the first query.
 * @example
 * const engine = createEngine({ rpc: { base: [endpoint] }, now: Date.now, freshnessMs, deadlineMs: 8_000 });
 * await engine.start();
 * const answer = await engine.quote({ chain: 'base', tokenIn, tokenOut, size: { tokenIn: '1.5' } });
 */
export function createEngine(ports: EnginePorts): Engine & PretradeChecker {
  const { now, freshnessMs, rpc } = ports;
  const served = chainNames.filter((chain) => (rpc[chain]?.length ?? 0) > 0);
  const chains = new Map(served.map((chain) => [chain, createServedChain(chain, ports)]));
  const cache = createAnswerCache<QuoteAnswer>(now, {
    share: ports.share,
    name: 'quote',
    onLookup: (answer) => ports.onLookup?.('quote', answer),
  });
  const codes = createAnswerCache<CodeReading & { validUntil: number }>(now);

  const preparation = createMarketPreparation();

  const chainOf = (chain: ChainName) => {
    const found = chains.get(chain);
    // A retry cannot succeed until the configuration changes; a minute limits the load from clients that retry.
    if (!found) throw new ChainUnavailableError(chain, 60);
    return found;
  };

  const base = chains.get('base');
  const pretrade = base && openPretrade(base, ports);

  return {
    chains: served,
    async start() {
      const wrong = await Promise.all(
        [...chains.values()].map(async ({ nodes, probe }) => {
          const results = await nodes.readEach(probe);
          return results.map((result) => (result.status === 'rejected' ? result.reason : undefined));
        }),
      );
      const fault = wrong.flat().find((reason) => reason instanceof WrongChainError);
      if (fault) throw fault;
    },
    chainState(chain, product) {
      const { nodes, head } = chainOf(chain);
      return nodes.state(head.block, product);
    },
    nodeStates: (chain) => chainOf(chain).nodes.states(),
    async check(query, options) {
      if (!pretrade) throw new ChainUnavailableError('base', 60);
      return pretrade.check(query, options);
    },
    async reach(chain, product) {
      await chainOf(chain).nodes.reach(recentContactMs, product);
    },
    async readCode(chain, contract) {
      const { nodes } = chainOf(chain);
      const address = toLowerAddress(contract);
      return codes.get(`${chain}|${address}`, async () => {
        const reading = await nodes.read((node) => readCode(node, address));
        // Missing code is cached briefly: the contract may be deployed in the next block.
        return { ...reading, validUntil: now() + (reading.hasCode ? codeTtlMs : freshnessMs[chain]) };
      });
    },
    async quote(request, { signal } = {}) {
      const requested = toQuoteQuery(request);
      const query = withWrappedNative(requested);
      const servedChain = chainOf(query.chain);
      const read = async () => {
        await preparation.wait(query);
        return readQuote(servedChain, query, ports);
      };
      return flagNative(await cache.get(queryKey(query), read, signal), requested);
    },
    async prepare(request) {
      const query = withWrappedNative(toQuoteQuery(request));
      const servedChain = chains.get(query.chain);
      if (servedChain && !cache.has(queryKey(query))) await preparation.start(servedChain, query);
    },
    executorState: (chain) => chainOf(chain).executor.state(),
    lensState: (chain) => chainOf(chain).lenses.state(),
    refreshDeployments: () => refreshDeployments([...chains.values()]),
    buildTransaction: (chain, order) => chainOf(chain).buildTransaction(order),
  };
}

/** Checks are served on Base only. */
function openPretrade(base: ServedChain, ports: EnginePorts) {
  return createPretrade({
    ...ports.pretrade,
    share: ports.share,
    onLookup: (answer) => ports.onLookup?.('check', answer),
    ...(ports.onNodeFault && { onNodeFault: ports.onNodeFault }),
    data: base.data,
    nodes: base.nodes,
    now: ports.now,
    freshnessMs: ports.freshnessMs.base,
    sawBlock: (block) => {
      base.head.block = block;
    },
  });
}

async function refreshDeployments(chains: readonly ServedChain[]): Promise<void> {
  const due = chains.flatMap(({ executor, lenses, nodes }) =>
    [executor, lenses].flatMap((memory) => (memory.isDue() ? [{ memory, nodes }] : [])),
  );
  await Promise.allSettled(due.map(({ memory, nodes }) => memory.read(nodes)));
}

async function readQuote(
  { data, nodes, head }: ServedChain,
  query: QuoteQuery,
  { now, freshnessMs }: Pick<EnginePorts, 'now' | 'freshnessMs'>,
): Promise<QuoteAnswer> {
  const { value: market, source } = await nodes.read(
    (node) =>
      readWithFallback(node, {
        lens: async () => assertRead(await readMarket(data, query, node), data.deployment, node),
        quoters: () => readByQuoters(data, query, node),
        now,
      }),
    'quote',
  );
  head.block = market.states.block.number;
  const ts = now();
  const answer = quote(data, query, market, { ts, validUntil: ts + freshnessMs[query.chain] });
  return source === 'quoters' ? { ...answer, flags: [quotersOnlyFlag, ...answer.flags] } : answer;
}
