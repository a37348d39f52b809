import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type AbiFunction, toFunctionSignature } from 'viem';
import { expect, test } from 'vitest';
import { fillLensArtifact } from '../../contracts/artifacts/lens/FillLens.ts';
import { unpaidLensArtifact } from '../../contracts/artifacts/lens/UnpaidLens.ts';

const isFunction = (entry: { type: string }): entry is AbiFunction => entry.type === 'function';
const signatures = [fillLensArtifact, unpaidLensArtifact].flatMap(({ abi }) =>
  (abi as readonly { type: string }[]).filter(isFunction).map(toFunctionSignature),
);

test.each([
  'sell((uint256,uint256,(uint256,address,address,address,uint256,int256,address,uint256),(uint256,address,address,address,uint256,int256,address,uint256))[],address,bool,uint256)',
  'frame(uint256,address)',
])('security: the hostile pool calls %s, which a lens has', async (signature) => {
  const source = await readFile(join(import.meta.dirname, '../../contracts/sandbox/hostile/HostilePool.sol'), 'utf8');
  expect(source).toContain(`"${signature}"`);
  expect(signatures).toContain(signature);
});
