import {
  type PoolEvents,
  type PoolIndex,
  type PretradeVendors,
  type RpcEndpoint,
  VendorUnavailableError,
} from '../../engine/index.ts';
import type { LogIndexStore, PoolIndexStore } from '../storage/index.ts';
import { createBlockscoutCreator } from './blockscout/creator.ts';
import { createBlockscoutFirstTransfer } from './blockscout/firstTransfer.ts';
import { createBlockscoutHolderMoves } from './blockscout/holderMoves.ts';
import { createBlockscoutHolders } from './blockscout/holders.ts';
import { createDexscreenerMarket } from './dexscreener/market.ts';
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
import { createPoolIndexer } from './pools/poolIndexer.ts';
import {
  createVendorClient,
  type VendorClient,
  type VendorClientOptions,
  type VendorFaultNotice,
  type VendorWatch,
} from './transport/vendorClient.ts';
import type { VendorConfig } from './vendorConfig.ts';

export interface Vendors extends PretradeVendors {
  /** Absent: turned off. */
  pools: PoolIndex | undefined;
  /** Ends what runs in the background. */
  close(): Promise<void>;
}

/** WETH: deployed with Base's genesis block (OP Stack predeploys), so only a node with old states knows it at block 1. */
const ancient = { address: '0x4200000000000000000000000000000000000006', block: 1 } as const;

/** What each vendor is known to stand, requests a minute, with room left for others behind our address. */
const pace = { blockscout: 300, etherscan: 120, dexscreener: 240, geckoterminal: 25 } as const;

const maxBytes = 2 * 1024 * 1024;

/**
 * The sources of the pre-trade check that are switched on, in the order in which they are asked: the keyless
 * before the paid, and our own index last, since a token that is new to it takes longer than an answer may.
 *
 * @param options.endpoints RPC of Base, for the indexes over its logs
 * @param onFault told of each failed request, for the operator's log; holds neither URL nor key
 */
export function createVendors(options: {
  config: VendorConfig;
  endpoints: readonly RpcEndpoint[];
  logIndexes: LogIndexStore;
  /** Where the index of pools is kept, and what the covered factories log of new ones. */
  poolIndex?: { store: PoolIndexStore; events: PoolEvents };
  now: () => number;
  onFault?: (notice: VendorFaultNotice) => void;
  watch?: VendorWatch;
}): Vendors {
  const { config, endpoints, logIndexes, poolIndex, now, onFault, watch } = options;
  const { timeoutMs } = config;

  function connect(
    label: keyof typeof pace,
    rest: Pick<VendorClientOptions, 'baseUrl' | 'secrets' | 'headers'>,
  ): VendorClient {
    const common = { label, timeoutMs, maxBytes, requestsPerMinute: pace[label], now };
    return createVendorClient({ ...common, ...rest, ...(onFault && { onFault }), ...(watch && { watch }) });
  }

  const blockscout = config.blockscout && connect('blockscout', withKey(config.blockscout));
  const etherscan = config.etherscan && connect('etherscan', withKey(config.etherscan));
  const dexscreener = config.dexscreener && connect('dexscreener', { baseUrl: config.dexscreener.url });
  const geckoterminal = config.geckoterminal && connect('geckoterminal', { baseUrl: config.geckoterminal.url });
  const indexer =
    config.logs && endpoints.length > 0
      ? createLogIndexer({ endpoints, store: logIndexes, limits: config.logs, ancient })
      : undefined;
  const pools =
    config.pools && poolIndex && endpoints.length > 0
      ? createPoolIndexer({
          endpoints,
          ...poolIndex,
          limits: config.pools,
          onFault: (error) => onFault?.(toNotice(error)),
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
    pools,
    async close() {
      await Promise.all([indexer?.close(), pools?.close()]);
    },
  };
}

/** A pass over the pools that failed. */
function toNotice(error: unknown): VendorFaultNotice {
  const fault = error instanceof VendorUnavailableError ? error.fault : 'unreachable';
  return { vendor: 'pool index', fault, detail: error instanceof Error ? error.name : 'unknown fault' };
}

function withKey({ url, key }: { url: string; key?: string }): Pick<VendorClientOptions, 'baseUrl' | 'secrets'> {
  return { baseUrl: url.replace(/\/+$/, ''), ...(key && { secrets: { apikey: key } }) };
}

function present<T>(sources: readonly (T | undefined)[]): T[] {
  return sources.filter((source): source is T => source !== undefined);
}
