import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type AbiFunction, toFunctionSignature } from 'viem';
import { expect, test } from 'vitest';
import { fillLensArtifact } from '../../contracts/artifacts/lens/FillLens.ts';
import { quoteLensArtifact } from '../../contracts/artifacts/lens/QuoteLens.ts';

const isFunction = (entry: { type: string }): entry is AbiFunction => entry.type === 'function';
const signatures = [fillLensArtifact, quoteLensArtifact].flatMap(({ abi }) =>
  (abi as readonly { type: string }[]).filter(isFunction).map(toFunctionSignature),
);

test.each([
  'quote((address,address,uint256,uint256,uint256,bool,uint256),bytes,(address,uint256)[])',
  'frame(uint256,address)',
])('security: the hostile pool calls %s, which a lens has', async (signature) => {
  const source = await readFile(join(import.meta.dirname, '../../contracts/sandbox/hostile/HostilePool.sol'), 'utf8');
  expect(source).toContain(`"${signature}"`);
  expect(signatures).toContain(signature);
});
