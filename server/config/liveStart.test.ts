import { expect, test } from 'vitest';
import { routers } from '../../client/trade/routers.ts';
import { ConfigError } from './configError.ts';
import { findKnownContract } from './knownContracts.ts';
import { type Environment, readConfig } from './readConfig.ts';

// Configurations that would start, and take payments wrongly.

const live = {
  RPC_URL_BASE: 'http://127.0.0.1:8545',
  PAY_TO_EVM: '0x1111111111111111111111111111111111111111',
  FACILITATOR_KEY_EVM: `0x${'11'.repeat(32)}`,
  PUBLIC_URL: 'https://truefill.example',
};

function faultsOf(environment: Environment): readonly string[] {
  try {
    readConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  return [];
}

test.each(['http://localhost:4020', 'http://127.0.0.1:4020', 'http://[::1]:4020', 'https://truefill.example/base'])(
  'default: live mode accepts the public URL %s',
  (url) => {
    expect(readConfig({ ...live, PUBLIC_URL: url }).publicUrl).toBe(url);
  },
);

test('default: the sandbox needs no public URL, and a metrics port of 0 may equal PORT', () => {
  expect(faultsOf({})).toEqual([]);
  expect(faultsOf({ ...live, PORT: '0', METRICS_PORT: '0' })).toEqual([]);
});

test('security: every router that the client may use is refused as a payee', () => {
  const addresses = JSON.stringify(routers).match(/0x[0-9a-fA-F]{40}(?![0-9a-fA-F])/g) ?? [];
  expect(addresses.length).toBeGreaterThan(30);
  for (const address of addresses) expect(findKnownContract(address), address).toBeDefined();
});

test.each([
  ['DATABSE_URL', 'DATABASE_URL'],
  ['DATABASE_ULR', 'DATABASE_URL'],
  ['PULBIC_URLS', 'PUBLIC_URL'],
  ['DATA_DRI', 'DATA_DIR'],
  ['LOG_LEVLE', 'LOG_LEVEL'],
  ['CONTACT_MAIL', 'CONTACT_EMAIL'],
])('error: %s stops the start with the suggestion %s', (name, known) => {
  expect(faultsOf({ ...live, [name]: 'x' })).toEqual([`${name} is not a variable of truefill: did you mean ${known}?`]);
});

test('behavior: ignores variables of platforms, shells and package managers', () => {
  const names = [
    ...['TRUEFILL_SERVICE_HOST', 'TRUEFILL_SERVICE_PORT', 'TRUEFILL_SERVICE_PORT_HTTP', 'TRUEFILL_PORT', 'HOSTNAME'],
    ...['TRUEFILL_PORT_4020_TCP', 'TRUEFILL_PORT_4020_TCP_ADDR', 'METRICS_PORT_9464_TCP_PROTO', 'METRICS_SERVICE_HOST'],
    ...[
      'PATH',
      'MANPATH',
      'HOME',
      'LOGNAME',
      'LANGUAGE',
      'LC_ALL',
      'SHELL',
      'TERM',
      'USER',
      'TZ',
      'OLDPWD',
      'SHLVL',
      'PWD',
    ],
    ...['npm_lifecycle_event', 'npm_config_user_agent', 'npm_package_json', 'NODE_ENV', 'NODE_OPTIONS', 'INIT_CWD'],
    ...['INVOCATION_ID', 'JOURNAL_STREAM', 'STATE_DIRECTORY', 'SYSTEMD_EXEC_PID', 'XDG_DATA_DIRS', 'XDG_RUNTIME_DIR'],
    ...[
      'KUBERNETES_SERVICE_HOST',
      'KUBERNETES_PORT_443_TCP',
      'DYNO',
      'FLY_APP_NAME',
      'FLY_REGION',
      'RENDER_EXTERNAL_URL',
    ],
    ...[
      'RAILWAY_PUBLIC_DOMAIN',
      'AWS_REGION',
      'AWS_EXECUTION_ENV',
      'GOOGLE_CLOUD_PROJECT',
      'K_SERVICE',
      'CI',
      'GITHUB_SHA',
    ],
    ...[
      'HTTP_PROXY',
      'HTTPS_PROXY',
      'NO_PROXY',
      'SSL_CERT_FILE',
      'POSTGRES_PASSWORD',
      'POSTGRES_USER',
      'PGHOST',
      'DEBUG',
    ],
    ...[
      'OTEL_SERVICE_NAME',
      'OTEL_RESOURCE_ATTRIBUTES',
      'OTEL_EXPORTER_OTLP_PROTOCOL',
      'CHROMIUM_PATH',
      'GRAFANA_PASSWORD',
    ],
  ];
  expect(faultsOf({ ...live, ...Object.fromEntries(names.map((name) => [name, 'x'])) })).toEqual([]);
});

test.each(['TRUEFILL_DB_PORT', 'TRUEFILL_METRICS_PORT', 'BLOCKSCOUT_PORT', 'FACILITATOR_PORT'])(
  'behavior: ignores %s of another Kubernetes service in the namespace',
  (name) => {
    expect(faultsOf({ ...live, [name]: 'tcp://10.96.0.12:5432' })).toEqual([]);
    expect(faultsOf({ ...live, [name]: '5432' })).toHaveLength(1);
  },
);
