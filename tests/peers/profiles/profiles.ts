import type { Profile } from './profileTypes.ts';

const threeCalls = {
  calls: 3,
  status: 500,
  code: 31,
  message: 'Batch of more than 3 requests are not allowed on free tier',
};

/**
 * Endpoints that people use, one row each: what a source states about them, as rules for `startProfileProxy`.
 * The first row is the reference for the others.
 */
export const profiles: readonly Profile[] = [
  { name: 'node', source: 'The local node without rules.', rules: {} },
  {
    name: 'gaps of 12 s',
    source: 'ethereum/go-ethereum, internal/ethapi/simulate.go (timestampIncrement); op-geth and bor as it',
    rules: { simulation: { fillSeconds: 12 } },
  },
  {
    name: 'gaps of 2 s',
    source: 'paradigmxyz/reth pull request 24388: the chain’s hint of its block time',
    rules: { simulation: { fillSeconds: 2 } },
  },
  {
    name: 'five blocks a second',
    source: 'docs.base.org, upgrade Denim: 200 ms blocks with times in whole seconds',
    rules: { simulation: { fillSeconds: 12 } },
    blockMs: 200,
  },
  {
    name: 'a call 0 or 1 block behind',
    source: 'ethereum-optimism/infra, proxyd: the items of a batch are spread over backends',
    rules: { lag: { blocks: 1, by: 'call' } },
  },
  {
    name: 'each tenth call 1 block behind',
    source: 'ethereum-optimism/infra, proxyd',
    rules: { lag: { blocks: 1, by: 'call', every: 10 } },
  },
  {
    name: 'a request 3 blocks behind',
    source: 'drpc.org, documentation of its load balancer: nodes may be some blocks behind',
    rules: { lag: { blocks: 3, by: 'request' } },
  },
  {
    name: 'a call 3 blocks behind',
    source: 'ethereum-optimism/infra, proxyd',
    rules: { lag: { blocks: 3, by: 'call' } },
  },
  {
    name: 'batches of 3',
    source: 'drpc.org and 1rpc.io, limits of the free tier: HTTP 500 with code 31',
    rules: { batch: threeCalls },
  },
  {
    name: 'batches of 10',
    source: 'ethereum-optimism/infra, proxyd: max_size of a batch, HTTP 413 with code -32014',
    rules: { batch: { calls: 10, status: 413, code: -32014, message: 'too many RPC calls in batch request' } },
  },
  {
    name: 'no batches',
    source: 'JSON-RPC 2.0, section 6: a server that does not parse an array returns one -32600',
    rules: { batch: { calls: 1, status: 400, code: -32600, message: 'Invalid Request: batches are not supported' } },
  },
  {
    name: 'no overrides',
    source: 'docs.nethermind.io and providers in front of old nodes: -32602 for a third parameter of eth_call',
    rules: { overrides: 'refused', simulation: 'refused' },
    allows: 'quoters, checks uncharged',
  },
  {
    name: 'no simulation',
    source: 'docs.infura.io and blastapi.io: eth_simulateV1 is not among the methods',
    rules: { simulation: 'refused' },
    allows: 'checks uncharged',
  },
  {
    name: 'past blocks refused',
    source: 'ankr.com and drpc.org: reads of past blocks are archive requests of paid plans',
    rules: { pastBlocks: 'refused' },
    blockMs: 200,
    allows: 'checks uncharged',
  },
  {
    name: 'gas cap of 10 M',
    source:
      'geth’s --rpc.gascap set low behind a gateway that rejects instead of clamping (docs.monad.xyz/reference/rpc-limits)',
    rules: { gasCap: 10_000_000 },
  },
  {
    name: 'L1 gas on Arbitrum',
    source:
      'OffchainLabs/nitro, arbos/tx_processor.go (GasChargingHook): a call’s gas pays for its data, at 7,000 gas a byte',
    rules: { l1Gas: { perByte: 7_000, skips: false } },
  },
  {
    name: 'L1 gas on Arbitrum and a cap of 50 M',
    source: 'OffchainLabs/go-ethereum, TransactionArgs.skipL1Charging, and the default --node.rpc.gas-cap of 50 M',
    rules: { l1Gas: { perByte: 20_000, skips: true, clamp: 50_000_000 } },
  },
  {
    name: 'replies of 100 kB',
    source: 'geth’s --rpc.batch-response-max-size: -32003 response too large for the remaining items',
    rules: { maxReplyBytes: 100_000 },
  },
  {
    name: '500 units a second',
    source: 'docs.alchemy.com, compute unit costs and throughput of the free plan; one account for all chains',
    rules: { unitsPerSecond: 500 },
  },
  {
    name: '1 % HTTP 503, 250 ms',
    source: 'status pages of public endpoints; a distant region',
    rules: { failures: { share: 0.01, status: 503 }, delayMs: 250 },
  },
  {
    name: '2 % HTTP 429',
    source: 'RFC 6585, section 4; public endpoints that are shared by many',
    rules: { failures: { share: 0.02, status: 429, retryAfterSeconds: 1 } },
  },
  {
    name: 'logs of 10 blocks',
    source: 'docs.alchemy.com, eth_getLogs on the free tier: up to a 10 block range, error -32600',
    rules: { logs: { blocks: 10 } },
    allows: 'inconclusive checks',
  },
  {
    name: 'logs of 10000 blocks and 100 results',
    source: 'docs.infura.io, eth_getLogs: -32005 query returned more than 10000 results (here 100)',
    rules: { logs: { blocks: 10_000, results: 100 } },
    allows: 'inconclusive checks',
  },
  {
    name: 'logs of 3 addresses',
    source: 'ethereum/go-ethereum, eth/filters/api.go: --rpc.logquerylimit (1,000 by default) set low',
    rules: { logs: { addresses: 3 } },
    allows: 'inconclusive checks',
  },
  {
    name: '2 % of responses cut',
    source: 'RFC 9112, section 8: an incomplete message; proxies that time out or restart',
    rules: { cutShare: 0.02 },
  },
  {
    name: '2 % of results null',
    source: 'ethereum.org, JSON-RPC API: "or null when no block was found"; load balancers with lagging nodes',
    rules: { nullShare: 0.02 },
    allows: 'inconclusive checks, some uncharged',
  },
  {
    name: 'quantities with a leading zero',
    source: 'ethereum.org, JSON-RPC API, hex encoding: "WRONG: 0x0400 (no leading zeroes allowed)"',
    rules: { writing: { leadingZero: true } },
  },
  {
    name: 'hashes in upper case',
    source: 'EIP-1474: data are hexadecimal digits of either case',
    rules: { writing: { upperCaseHashes: true } },
  },
  {
    name: 'headers without newer fields',
    source: 'ethereum/execution-apis, schemas/block.yaml: these fields are not required, so older nodes omit them',
    rules: {
      writing: {
        withoutFields: [
          ...['withdrawalsRoot', 'withdrawals', 'blobGasUsed', 'excessBlobGas', 'parentBeaconBlockRoot'],
          ...['requestsHash', 'totalDifficulty', 'size', 'mixHash'],
        ],
      },
    },
  },
  {
    name: 'HTTP 403',
    source: 'A wrong or blocked key at any provider.',
    rules: { status: 403 },
    allows: 'nothing charged',
  },
];

/** Compute units of Alchemy's table (docs.alchemy.com/reference/compute-unit-costs); 20 for others. */
export const computeUnits: Readonly<Record<string, number>> = {
  eth_chainId: 0,
  eth_blockNumber: 10,
  eth_call: 26,
  eth_estimateGas: 20,
  eth_feeHistory: 10,
  eth_getLogs: 60,
  eth_sendRawTransaction: 40,
  eth_sendRawTransactionSync: 40,
  eth_simulateV1: 40,
};
