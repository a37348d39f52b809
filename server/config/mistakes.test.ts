import { expect, test } from 'vitest';
import { ConfigError } from './configError.ts';
import { type Environment, readConfig } from './readConfig.ts';

// Common mistakes of configuration. Each message names the variable, its value unless it may be secret, and what to do.

const live = {
  RPC_URL_BASE: 'https://node.example/v2/key',
  PAY_TO_EVM: '0x1111111111111111111111111111111111111111',
  FACILITATOR_KEY_EVM: `0x${'42'.repeat(32)}`,
  PUBLIC_URL: 'https://quotes.example',
};

const mistakes: [mistake: string, environment: Environment, seen: RegExp, toDo: RegExp][] = [
  ['a port that is a name', { PORT: 'http' }, /^PORT .*got "http"$/, /whole number from 0 to 65535/],
  ['a port that does not exist', { PORT: '99999' }, /^PORT .*got "99999"$/, /whole number from 0 to 65535/],
  ['a URL as the address', { HOST: 'http://0.0.0.0' }, /^HOST .*got "http/, /IP address or a host name/],
  ['an unknown mode', { TRUEFILL_MODE: 'prod' }, /^TRUEFILL_MODE .*got "prod"$/, /live or sandbox/],
  ['a misspelt variable', { DATABSE_URL: 'x' }, /^DATABSE_URL /, /did you mean DATABASE_URL\?$/],
  ['an invented variable', { METRICS_FOR_EVERYONE: '1' }, /^METRICS_FOR_EVERYONE /, /ops\/truefill\.env\.example/],
  ['no public URL', { ...live, PUBLIC_URL: '' }, /^PUBLIC_URL is missing/, /set the https URL/],
  ['a public URL over http', { ...live, PUBLIC_URL: 'http://q.example' }, /^PUBLIC_URL /, /must be an https URL/],
  ['a public URL with a query', { ...live, PUBLIC_URL: 'https://q.example/?a=1' }, /^PUBLIC_URL /, /no \? and no #/],
  ['no payee', { ...live, PAY_TO_EVM: '' }, /^PAY_TO_EVM is missing/, /address that receives payments/],
  ['a short payee', { ...live, PAY_TO_EVM: '0x1234' }, /^PAY_TO_EVM /, /must be an address/],
  [
    'USDC as the payee',
    { ...live, PAY_TO_EVM: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913' },
    /^PAY_TO_EVM is the USDC contract/,
    /set the address of your wallet/,
  ],
  ['no settling key', { ...live, FACILITATOR_KEY_EVM: '' }, /^FACILITATOR_KEY_EVM is missing/, /or FACILITATOR_URL/],
  [
    'an address as the settling key',
    { ...live, FACILITATOR_KEY_EVM: live.PAY_TO_EVM },
    /^FACILITATOR_KEY_EVM /,
    /0x and 64 hexadecimal digits/,
  ],
  [
    'a facilitator that nothing uses',
    { ...live, FACILITATOR_URL: 'https://f.example' },
    /^FACILITATOR_URL .*no network uses it/,
    /unset it/,
  ],
  ['a node without a scheme', { ...live, RPC_URL_BASE: 'node.example' }, /^RPC_URL_BASE /, /http or https URLs/],
  ['a WebSocket node', { ...live, RPC_URL_BASE: 'wss://node.example' }, /^RPC_URL_BASE /, /http or https URLs/],
  ['no node', { ...live, TRUEFILL_MODE: 'live', RPC_URL_BASE: '' }, /RPC_URL_BASE, .* all missing/, /set at least one/],
  ['another database', { ...live, DATABASE_URL: 'mysql://h/db' }, /^DATABASE_URL /, /postgres:\/\/user:password@/],
  [
    'a password with an unescaped @',
    { ...live, DATABASE_URL: 'postgres://u:p@ss/w@h/db' },
    /^DATABASE_URL contains a reserved character/,
    /write @ as %40/,
  ],
  ['a word for a number', { ...live, TRUSTED_PROXIES: 'yes' }, /^TRUSTED_PROXIES .*got "yes"$/, /from 0 to 10/],
  ['a negative limit', { RATE_LIMIT_PER_ADDRESS: '-1' }, /got "-1"$/, /whole number from 1/],
  ['an unknown log level', { LOG_LEVEL: 'verbose' }, /^LOG_LEVEL .*got "verbose"$/, /fatal, error, warn, info/],
  [
    'one port for two servers',
    { PORT: '4020', METRICS_PORT: '4020' },
    /METRICS_PORT and PORT are both 4020/,
    /set METRICS_PORT/,
  ],
  [
    'a budget without a unit',
    { ...live, RPC_BUDGET_BASE: '500' },
    /^RPC_BUDGET_BASE .*got "500"$/,
    /500 units or 25 calls/,
  ],
  ['yes for on', { ...live, POOL_HINTS: 'yes' }, /^POOL_HINTS .*got "yes"$/, /on or off/],
  ['an unknown group', { FREE_TRIAL_GROUPS: 'all' }, /^FREE_TRIAL_GROUPS .*got "all"$/, /none, or a list of: quote/],
  [
    'a collector without a scheme',
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'localhost:4318' },
    /^OTEL_EXPORTER_OTLP_ENDPOINT /,
    /http or https URL/,
  ],
];

test.each(mistakes)(
  'error: the message for %s names the variable and the advice',
  (_mistake, environment, seen, toDo) => {
    let faults: readonly string[] = [];
    try {
      readConfig(environment);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      ({ faults } = error);
    }
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatch(seen);
    expect(faults[0]).toMatch(toDo);
    expect(faults[0]?.split(/\s+/).length).toBeLessThanOrEqual(25);
  },
);
