import {
  byChain,
  type EnginePorts,
  ownIndexLabel,
  type PretradeVendors,
  type RpcEndpoint,
} from '../../engine/index.ts';
import type { LogIndexStore } from '../storage/index.ts';
import { createBlockscoutCreator } from './blockscout/creator.ts';
import { createBlockscoutFirstTransfer } from './blockscout/firstTransfer.ts';
import { createBlockscoutHolderMoves } from './blockscout/holderMoves.ts';
import { createBlockscoutHolders } from './blockscout/holders.ts';
import { createDexscreenerMarket } from './dexscreener/market.ts';
import { createDexscreenerPairs } from './dexscreener/pairs.ts';
import { createEtherscanCreator } from './etherscan/creator.ts';
import { createEtherscanFirstTransfer } from './etherscan/firstTransfer.ts';
import { createEtherscanHolderMoves } from './etherscan/holderMoves.ts';
import { createEtherscanHolders } from './etherscan/holders.ts';
import { createGeckoterminalMarket } from './geckoterminal/market.ts';
import { confirmFirstTransfer } from './logs/confirmFirstTransfer.ts';
import { createLogCreator } from './logs/creator.ts';
import { createLogFirstTransfer } from './logs/firstTransfer.ts';
import { createLogHolderMoves } from './logs/holderMoves.ts';
import { createLogHolders } from './logs/holders.ts';
import { createLogIndexer } from './logs/logIndexer.ts';
import type { LogSearchEnd, LogSearchState } from './logs/logSearch.ts';
import { createDexscreenerHints, createGeckoterminalHints } from './poolHints.ts';
import {
  createVendorClient,
  type VendorClient,
  type VendorClientOptions,
  type VendorFaultNotice,
  type VendorInstrumentation,
} from './transport/vendorClient.ts';
import type { VendorConfig } from './vendorConfig.ts';

export interface Vendors extends PretradeVendors {
  /** Vendors that list pools of a token, by chain. */
  poolHints: NonNullable<EnginePorts['poolHints']>;
  /** The searches in token logs that run in the background. From memory. */
  logSearches(): LogSearchState;
  /** Stops background work. */
  close(): Promise<void>;
}

/** WETH is an OP Stack predeploy of the genesis block. A node without the state of a block does not return its code. */
const codeProbe = '0x4200000000000000000000000000000000000006';

/** Below the known limit of each vendor, because other clients may share our IP address. */
const requestsPerMinute = { blockscout: 300, etherscan: 120, dexscreener: 240, geckoterminal: 25 } as const;

const maxBytes = 2 * 1024 * 1024;

/**
 * Creates the enabled sources of the pretrade check, in order of use: free vendors, vendors with a key, our own index. The
 * index is last, because indexing a new token takes longer than the deadline of a request.
 *
 * @param options.endpoints RPC of Base, for the log indexes
 * @param options.onFault called for each failed request, for the log; a notice contains neither URL nor key
 * @param options.onSearchEnd called with the end of each search in a token's logs
 */
export function createVendors(options: {
  config: VendorConfig;
  endpoints: readonly RpcEndpoint[];
  logIndexes: LogIndexStore;
  now: () => number;
  onFault?: (notice: VendorFaultNotice) => void;
  onSearchEnd?: (end: LogSearchEnd) => void;
  instrument?: VendorInstrumentation;
}): Vendors {
  const { config, endpoints, logIndexes, now, onFault, onSearchEnd = () => undefined, instrument } = options;
  const { timeoutMs } = config;

  function connect(
    label: keyof typeof requestsPerMinute,
    rest: Pick<VendorClientOptions, 'baseUrl' | 'secrets' | 'headers'>,
  ): VendorClient {
    const common = { label, timeoutMs, maxBytes, requestsPerMinute: requestsPerMinute[label], now };
    return createVendorClient({ ...common, ...rest, ...(onFault && { onFault }), ...(instrument && { instrument }) });
  }

  const blockscout = config.blockscout && connect('blockscout', withKey(config.blockscout));
  const etherscan = config.etherscan && connect('etherscan', withKey(config.etherscan));
  const dexscreener =
    config.dexscreener && createDexscreenerPairs(connect('dexscreener', { baseUrl: config.dexscreener.url }));
  const geckoterminal = config.geckoterminal && connect('geckoterminal', { baseUrl: config.geckoterminal.url });
  const indexer =
    config.logs && endpoints.length > 0
      ? createLogIndexer({
          endpoints,
          store: logIndexes,
          limits: config.logs,
          codeProbe,
          now,
          onFault: (error) => onFault?.(toStoreNotice(error)),
          onSearchEnd,
        })
      : undefined;
  const logFirstTransfer = indexer && createLogFirstTransfer(indexer, endpoints);

  return {
    holders: present([
      blockscout && createBlockscoutHolders(blockscout, now),
      etherscan && createEtherscanHolders(etherscan, now),
      indexer && createLogHolders(indexer, endpoints, now),
    ]),
    firstTransfer: present([
      blockscout && confirmFirstTransfer(createBlockscoutFirstTransfer(blockscout), endpoints),
      etherscan && confirmFirstTransfer(createEtherscanFirstTransfer(etherscan), endpoints),
      logFirstTransfer,
    ]),
    holderMoves: present([
      blockscout && createBlockscoutHolderMoves(blockscout),
      etherscan && createEtherscanHolderMoves(etherscan),
      indexer && createLogHolderMoves(indexer, endpoints),
    ]),
    creator: present([
      blockscout && createBlockscoutCreator(blockscout),
      etherscan && createEtherscanCreator(etherscan),
      logFirstTransfer && createLogCreator(logFirstTransfer),
    ]),
    market: present([
      dexscreener && createDexscreenerMarket(dexscreener),
      geckoterminal && createGeckoterminalMarket(geckoterminal),
    ]),
    ...(indexer && { describeSearch: indexer.describe }),
    poolHints: config.poolHints
      ? byChain((chain) =>
          present([
            geckoterminal && createGeckoterminalHints(geckoterminal, chain),
            dexscreener && createDexscreenerHints(dexscreener, chain),
          ]),
        )
      : {},
    logSearches: () => indexer?.searches() ?? { running: 0, waiting: 0 },
    async close() {
      await indexer?.close();
    },
  };
}

const toStoreNotice = (error: unknown): VendorFaultNotice => ({
  vendor: ownIndexLabel,
  fault: 'not-indexed',
  detail: error instanceof Error ? error.name : 'unknown fault',
});

function withKey({ url, key }: { url: string; key?: string }): Pick<VendorClientOptions, 'baseUrl' | 'secrets'> {
  return { baseUrl: url.replace(/\/+$/, ''), ...(key && { secrets: { apikey: key } }) };
}

function present<T>(sources: readonly (T | undefined)[]): T[] {
  return sources.filter((source): source is T => source !== undefined);
}
