import type { Hex } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { expect, test } from 'vitest';
import { solanaNetwork } from '../payments/networkConfigs.ts';
import { defaultLogIndexLimits } from '../vendors/index.ts';
import { ConfigError } from './configError.ts';
import { type Environment, readConfig } from './readConfig.ts';

const key = `0x${'11'.repeat(32)}`;
const live = {
  RPC_URL_BASE: 'https://one.example/v2/secret, http://127.0.0.1:8545',
  PAY_TO_EVM: '0x1111111111111111111111111111111111111111',
  FACILITATOR_KEY_EVM: key,
  PUBLIC_URL: 'https://truefill.example',
};
/** The first test key of RFC 8032. */
const solana = {
  RPC_URL_SOLANA: 'https://sol.example/v2/secret',
  PAY_TO_SVM: '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T',
  FACILITATOR_KEY_SVM: '49W385L4rePHy6PAaQUovbD2aacgN4HsKXSMeUzRg4fmwXszN91JuMFrQRj3vMDpZuRF3ZknQBuRBoWQJEfXstMw',
};

const cdp = { CDP_API_KEY_ID: 'organizations/a/apiKeys/b', CDP_API_KEY_SECRET: Buffer.alloc(64, 7).toString('base64') };
const facilitator = privateKeyToAddress(key as Hex);
/** The public half of FACILITATOR_KEY_SVM. */
const feePayer = 'FVen3X669xLzsi6N2V91DoiyzHzg1uAgqiT8jZ9nS96Z';
const keyless = { ...live, FACILITATOR_KEY_EVM: '' };

function faultsOf(environment: Environment): readonly string[] {
  try {
    readConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  return [];
}

test('default: an empty environment selects sandbox mode at 127.0.0.1:4020', () => {
  expect(readConfig({ PATH: '/bin', RPC_URL_BASE: '' })).toMatchObject({
    mode: 'sandbox',
    port: 4020,
    host: '127.0.0.1',
    requestsPerMinutePerAddress: 120,
    requestsPerMinutePerWallet: 600,
    contractWalletGasUsdPerHour: 0.5,
    freeTrialsPerIp: undefined,
    preconfirmedNetworks: [],
    preferredNetworks: [],
    withdrawnExecutors: [],
    trustedProxies: 0,
    freshnessMs: { base: 4000, polygon: 5000, arbitrum: 2000 },
  });
});

test('default: an RPC URL selects live mode with that chain only', () => {
  const config = readConfig({ ...live, PORT: '0', PUBLIC_URL: 'https://truefill.example/' });
  expect(config).toMatchObject({
    mode: 'live',
    port: 0,
    publicUrl: 'https://truefill.example',
    rpcUrls: { base: ['https://one.example/v2/secret', 'http://127.0.0.1:8545'] },
    payToEvm: live.PAY_TO_EVM,
  });
  expect(Object.keys(config.mode === 'live' ? config.rpcUrls : {})).toEqual(['base']);
});

test('default: accepts Solana payments with RPC, payee and key', () => {
  expect(readConfig({ ...live, ...solana })).toMatchObject({
    solana: {
      rpcUrls: [solana.RPC_URL_SOLANA],
      payTo: solana.PAY_TO_SVM,
      facilitatorKey: solana.FACILITATOR_KEY_SVM,
    },
  });
  expect(readConfig(live)).not.toHaveProperty('solana');
});

const remotesOf = (environment: Environment) => {
  const config = readConfig(environment);
  return config.mode === 'live' ? config.remotes : undefined;
};

test('default: a remote facilitator settles on networks without a key, or with a facilitator of their own', () => {
  const remoteVariables = { FACILITATOR_URL: 'https://f.example/x402/', FACILITATOR_HEADERS: '{"X-Key":"secret"}' };
  const remote = { url: 'https://f.example/x402', headers: { 'X-Key': 'secret' } };
  expect(remotesOf(live)).toEqual({});
  expect(remotesOf({ ...keyless, ...remoteVariables })).toEqual({ base: remote });
  expect(remotesOf({ ...live, ...solana, FACILITATOR_KEY_SVM: '', ...remoteVariables })).toEqual({ solana: remote });
  expect(remotesOf({ ...live, FACILITATOR_URL_BASE: 'https://b.example' })).toEqual({
    base: { url: 'https://b.example' },
  });
});

test('default: CDP keys select the Coinbase facilitator and are sent to no other one', () => {
  const signed = { keyId: cdp.CDP_API_KEY_ID, keySecret: cdp.CDP_API_KEY_SECRET };
  const url = 'https://api.cdp.coinbase.com/platform/v2/x402';
  expect(remotesOf({ ...keyless, ...cdp })).toEqual({ base: { url, cdp: signed } });
  const mixed = { RPC_URL_POLYGON: 'https://p.example', FACILITATOR_URL_POLYGON: 'https://f.example' };
  expect(remotesOf({ ...keyless, ...cdp, ...mixed })).toEqual({
    base: { url, cdp: signed },
    polygon: { url: 'https://f.example' },
  });
});

test('error: PRECONFIRMED_NETWORKS rejects base, which has had no preconfirmations since its blocks take 200 ms', () => {
  const [fault, ...others] = faultsOf({ ...live, PRECONFIRMED_NETWORKS: 'polygon,base' });
  expect(others).toEqual([]);
  expect(fault).toMatch(/^PRECONFIRMED_NETWORKS must not contain base: .* within 200 ms/);
  expect(readConfig({ ...live, PRECONFIRMED_NETWORKS: 'polygon' }).preconfirmedNetworks).toEqual(['eip155:137']);
});

test('error: ConfigError lists all missing variables of live mode at once', () => {
  const faults = faultsOf({ TRUEFILL_MODE: 'live', PORT: 'x' }).join('\n');
  for (const name of ['PORT', 'RPC_URL_BASE', 'PAY_TO_EVM', 'FACILITATOR_KEY_EVM']) expect(faults).toContain(name);
});

test.each([
  [{ ...live, PAY_TO_EVM: '0x0000000000000000000000000000000000000000' }, 'PAY_TO_EVM'],
  [{ ...live, PAY_TO_EVM: '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96046' }, 'PAY_TO_EVM'],
  [{ ...live, FACILITATOR_KEY_EVM: '0x12' }, 'FACILITATOR_KEY_EVM'],
  [{ ...live, FACILITATOR_KEY_EVM: `0x${'0'.repeat(64)}` }, 'FACILITATOR_KEY_EVM'],
  [{ ...live, FACILITATOR_KEY_EVM: `0x${'f'.repeat(64)}` }, 'FACILITATOR_KEY_EVM'],
  [{ ...live, RPC_URL_BASE: 'ws://one.example' }, 'RPC_URL_BASE'],
  [{ ...live, RPC_URL_BASE: 'https://one.example,' }, 'RPC_URL_BASE'],
  [{ ...live, PUBLIC_URL: 'truefill.example' }, 'PUBLIC_URL'],
  [{ ...live, PUBLIC_URL: '' }, 'PUBLIC_URL'],
  [{ ...live, PUBLIC_URL: 'http://truefill.example' }, 'PUBLIC_URL'],
  [{ ...live, PUBLIC_URL: 'http://127.0.0.1.example' }, 'PUBLIC_URL'],
  [{ ...live, METRICS_PORT: '4020' }, 'METRICS_PORT'],
  [{ ...live, PAY_TO_EVM: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913' }, 'PAY_TO_EVM is the USDC contract on Base'],
  [{ ...live, PAY_TO_EVM: '0xaf88d065e77c8cC2239327C5EDb3A432268e5831' }, 'the USDC contract on Arbitrum'],
  [{ ...live, PAY_TO_EVM: '0x6fF5693b99212Da76ad316178A184AB56D299b43' }, 'a known router'],
  [{ ...live, PAY_TO_EVM: '0x498581fF718922c3f8e6A244956aF099B2652b2b' }, 'a token or venue contract'],
  [{ ...live, PAY_TO_EVM: facilitator }, 'PAY_TO_EVM is the address of FACILITATOR_KEY_EVM'],
  [{ ...live, ...solana, PAY_TO_SVM: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v' }, "PAY_TO_SVM is USDC's mint"],
  [{ ...live, ...solana, PAY_TO_SVM: '11111111111111111111111111111111' }, 'PAY_TO_SVM is a program'],
  [{ ...live, ...solana, PAY_TO_SVM: feePayer }, 'PAY_TO_SVM is the address of FACILITATOR_KEY_SVM'],
  [
    { ...live, DATABASE_URL: 'postgres://u:pa@ss/word@db.example/ledger' },
    'DATABASE_URL contains a reserved character',
  ],
  [{ ...live, DATABASE_URL: 'postgres://u:1234/word@db.example/ledger' }, 'DATABASE_URL contains a reserved character'],
  [{ ...live, DATABASE_URL: 'postgres://u:1234?word@db.example/ledger' }, 'DATABASE_URL contains a reserved character'],
  [{ TRUEFILL_MODE: 'prod' }, 'TRUEFILL_MODE'],
  [{ ...live, TRUEFILL_MODE: 'sandbox' }, 'RPC_URL_BASE'],
  [{ PORT: '70000' }, 'PORT'],
  [{ RATE_LIMIT_PER_ADDRESS: '0' }, 'RATE_LIMIT_PER_ADDRESS'],
  [{ CONTRACT_WALLET_GAS_USD_PER_HOUR: '0.01' }, 'CONTRACT_WALLET_GAS_USD_PER_HOUR'],
  [{ FREE_TRIAL_GROUPS: 'pretrade,everything' }, 'FREE_TRIAL_GROUPS'],
  [{ ...live, BLOCKSCOUT_URL: 'no' }, 'BLOCKSCOUT_URL'],
  [{ ...live, BLOCKSCOUT_URL: 'https://user:secret@b.example' }, 'BLOCKSCOUT_URL'],
  [{ ...live, ETHERSCAN_KEY: 'a b' }, 'ETHERSCAN_KEY'],
  [{ ...live, LOG_INDEX: 'yes' }, 'LOG_INDEX'],
  [{ ...live, RPC_BUDGET_BASE: '500' }, 'RPC_BUDGET_BASE'],
  [{ ...live, RPC_BUDGET_BASE: '500 units, 0 calls' }, 'RPC_BUDGET_BASE'],
  [{ ...live, POOL_INDEX: 'yes' }, 'POOL_INDEX'],
  [{ ...live, POOL_HINTS: 'yes' }, 'POOL_HINTS'],
  [{ ...live, DATABASE_URL: 'mysql://x' }, 'DATABASE_URL'],
  [{ DATABASE_URL: 'postgres://x' }, 'DATABASE_URL'],
  [{ ...live, METRICS_PORT: '99999' }, 'METRICS_PORT'],
  [{ ...live, METRICS_HOST: '0.0.0.0' }, 'METRICS_HOST'],
  [{ ...live, OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' }, 'OTEL_EXPORTER_OTLP_ENDPOINT'],
  [{ ...live, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://user@c.example' }, 'OTEL_EXPORTER_OTLP_ENDPOINT'],
  [{ ...live, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://:key@c.example' }, 'OTEL_EXPORTER_OTLP_ENDPOINT'],
  [
    { ...live, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c.example', OTEL_EXPORTER_OTLP_HEADERS: 'no' },
    'OTEL_EXPORTER_OTLP_HEADERS',
  ],
  [
    { ...live, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c.example', OTEL_TRACES_SAMPLER_ARG: '2' },
    'OTEL_TRACES_SAMPLER_ARG',
  ],
  [{ ...live, ...solana, FACILITATOR_KEY_SVM: '' }, 'FACILITATOR_KEY_SVM'],
  [keyless, 'FACILITATOR_KEY_EVM'],
  [{ ...live, FACILITATOR_URL: 'https://f.example' }, 'FACILITATOR_URL'],
  [{ ...live, FACILITATOR_URL_POLYGON: 'https://f.example' }, 'FACILITATOR_URL_POLYGON'],
  [{ ...keyless, FACILITATOR_URL: 'https://f.example?key=secret' }, 'FACILITATOR_URL'],
  [{ ...keyless, FACILITATOR_URL: 'https://f.example', FACILITATOR_HEADERS: 'X: y' }, 'FACILITATOR_HEADERS'],
  [{ ...live, FACILITATOR_HEADERS: '{}' }, 'FACILITATOR_HEADERS'],
  [{ ...keyless, ...cdp, CDP_API_KEY_SECRET: '' }, 'CDP_API_KEY_SECRET'],
  [{ ...keyless, ...cdp, CDP_API_KEY_SECRET: 'secret' }, 'CDP_API_KEY_SECRET'],
  [{ ...live, ...solana, PAY_TO_SVM: live.PAY_TO_EVM }, 'PAY_TO_SVM'],
  [{ ...live, ...solana, PAY_TO_SVM: '' }, 'PAY_TO_SVM'],
  [{ ...live, ...solana, RPC_URL_SOLANA: '' }, 'RPC_URL_SOLANA'],
  [{ ...live, ...solana, FACILITATOR_KEY_SVM: key }, 'FACILITATOR_KEY_SVM'],
  [{ ...live, ...solana, FACILITATOR_KEY_SVM: `1${solana.FACILITATOR_KEY_SVM}` }, 'FACILITATOR_KEY_SVM'],
  [{ ...live, ...solana, FACILITATOR_KEY_SVM: '2'.repeat(87) }, 'FACILITATOR_KEY_SVM'],
])('error: ConfigError for %j', (environment, name) => {
  const faults = faultsOf(environment);
  expect(faults).toHaveLength(1);
  expect(faults[0]).toContain(name);
});

test('error: ConfigError reports a missing RPC URL with the other faults, and an RPC URL of an unknown chain', () => {
  expect(faultsOf({ TRUEFILL_MODE: 'live', FACILITATOR_KEY_EVM: 'x' })).toHaveLength(4);
  expect(faultsOf({ ...live, RPC_URL_BASE: '', RPC_URL_OPTIMISM: 'https://one.example' }).join()).toMatch(
    /RPC_URL_OPTIMISM is not a supported chain.*all missing/,
  );
});

test('security: no fault contains the value of a private variable', () => {
  const text = faultsOf({
    ...live,
    RPC_URL_BASE: 'wss://secret',
    FACILITATOR_KEY_EVM: 'secret',
    PAY_TO_EVM: 'secret',
  }).join('\n');
  expect(text.split('\n')).toHaveLength(3);
  expect(text).not.toContain('secret');
});

test('default: only the pretrade group has a free call; groups can be added or disabled', () => {
  expect(readConfig({}).freeTrialGroups).toEqual(['pretrade']);
  expect(readConfig({ FREE_TRIAL_GROUPS: 'quote, pretrade' }).freeTrialGroups).toEqual(['quote', 'pretrade']);
  expect(readConfig({ FREE_TRIAL_GROUPS: 'none' }).freeTrialGroups).toEqual([]);
});

test('default: PREFERRED_NETWORKS accepts chain names and CAIP-2 ids, and rejects others', () => {
  const read = (PREFERRED_NETWORKS: string) => readConfig({ PREFERRED_NETWORKS }).preferredNetworks;
  expect(read('arbitrum, solana,eip155:137')).toEqual(['eip155:42161', solanaNetwork, 'eip155:137']);
  expect(() => read('ethereum')).toThrow('PREFERRED_NETWORKS');
});

test('default: vendors without a key are enabled, Etherscan with a key; each can be disabled', () => {
  const vendorsOf = (more: Environment) => {
    const config = readConfig({ ...live, ...more });
    return config.mode === 'live' ? config.vendors : undefined;
  };
  expect(Object.keys(vendorsOf({}) ?? {}).sort()).toEqual([
    'blockscout',
    'dexscreener',
    'geckoterminal',
    'logs',
    'poolHints',
    'pools',
    'timeoutMs',
  ]);
  expect(vendorsOf({ BLOCKSCOUT_URL: 'https://api.blockscout.com/8453/', BLOCKSCOUT_KEY: 'k' })?.blockscout).toEqual({
    url: 'https://api.blockscout.com/8453',
    key: 'k',
  });
  expect(vendorsOf({ ETHERSCAN_KEY: 'k' })?.etherscan).toEqual({ url: 'https://api.etherscan.io', key: 'k' });
  const off = { BLOCKSCOUT_URL: 'off', ETHERSCAN_URL: 'off', DEXSCREENER_URL: 'off', GECKOTERMINAL_URL: 'off' };
  expect(vendorsOf({ ...off, ETHERSCAN_KEY: 'k', LOG_INDEX: 'off', POOL_INDEX: 'off', POOL_HINTS: 'off' })).toEqual({
    timeoutMs: 800,
  });
});

test('behavior: the limits of the log index and its searches are variables, with defaults', () => {
  const limitsOf = (more: Environment) => {
    const config = readConfig({ ...live, ...more });
    return config.mode === 'live' ? config.vendors.logs : undefined;
  };
  expect(limitsOf({})).toEqual(defaultLogIndexLimits);
  const search = { ...defaultLogIndexLimits.search, maxMs: 60_000, maxRequestsPerDay: 0 };
  const changed = { LOG_INDEX_HOLDERS: '700', LOG_SEARCH_SECONDS: '60', LOG_SEARCH_REQUESTS_PER_DAY: '0' };
  expect(limitsOf(changed)).toEqual({ ...defaultLogIndexLimits, maxHolders: 700, search });
});

test('behavior: the fault of a public variable contains its value', () => {
  expect(faultsOf({ PORT: '80a', TRUEFILL_MODE: 'prod' })).toEqual([
    'TRUEFILL_MODE must be live or sandbox, got "prod"',
    'PORT must be a whole number from 0 to 65535, got "80a"',
  ]);
});

test('security: no fault contains a value as long as a key', () => {
  expect(faultsOf({ PORT: key })).toEqual(['PORT must be a whole number from 0 to 65535']);
});

test('error: a misspelt variable is a fault with the most similar known name', () => {
  expect(faultsOf({ RATE_LIMIT_PER_WALET: '10', METRICS_PROT: '9464', METRICS_ZZZZZZZZ: '1' })).toEqual([
    'RATE_LIMIT_PER_WALET is not a variable of truefill: did you mean RATE_LIMIT_PER_WALLET?',
    'METRICS_PROT is not a variable of truefill: did you mean METRICS_PORT?',
    'METRICS_ZZZZZZZZ is not a variable of truefill: unset it, or use a name of ops/truefill.env.example',
  ]);
});

test('behavior: accepts variables of the client and of other programs', () => {
  expect(
    faultsOf({ TRUEFILL_KEY: key, TRUEFILL_URL: 'http://127.0.0.1:4020', OTEL_SERVICE_NAME: 'x', LOG: '1' }),
  ).toEqual([]);
});

test('reads the budget of each RPC URL in the order of the URLs', () => {
  const config = readConfig({ ...live, RPC_BUDGET_BASE: '500 units, 25 calls' });
  expect(config).toMatchObject({
    rpcBudgets: {
      base: [
        { perSecond: 500, of: 'units' },
        { perSecond: 25, of: 'calls' },
      ],
    },
  });
});
