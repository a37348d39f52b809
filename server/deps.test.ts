import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readConfig } from './config/index.ts';
import { buildDeps } from './deps.ts';
import { openLiveEnvironment } from './liveMode.ts';
import { noInstrumentation } from './observability/instrumentation/instrumentation.ts';
import { openStores } from './storage/index.ts';

test('error: a failure to open the engine closes the stores', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'truefill-deps-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const config = readConfig({
    TRUEFILL_MODE: 'live',
    RPC_URL_BASE: 'http://127.0.0.1:9',
    PAY_TO_EVM: `0x${'1'.repeat(40)}`,
    FACILITATOR_KEY_EVM: `0x${'1'.repeat(64)}`,
    PUBLIC_URL: 'https://truefill.example',
    DATA_DIR: folder,
  });
  if (config.mode !== 'live') throw new TypeError('The configuration is not live.');
  const environment = openLiveEnvironment(config);
  // A configuration without vendors makes `createVendors` throw.
  const broken = { ...environment, vendors: undefined as never };
  await expect(buildDeps(config, broken, 'https://truefill.example', noInstrumentation)).rejects.toThrow(TypeError);
  const stores = await openStores(environment.database, Date.now);
  await stores.close();
  await environment.close();
});
