import type { Address } from 'viem';
import type { VenueRow } from '../../engine/index.ts';
import type { ChainReader } from './chainReader.ts';
import { type Finding, judgeOf } from './verifyTypes.ts';

type WeightedRow = Extract<VenueRow, { family: 'balancer-v2' }>;

/** The same on every chain: npm @balancer-labs/v2-deployments, VeloraDEX/paraswap-dex-lib. */
const vault = '0xBA12222222228d8Ba445958a75a0704d566BF2C8';

/** The factory has code, and its pools are of Balancer's vault. */
export async function verifyWeighted(reader: ChainReader, { venue, factory }: WeightedRow): Promise<Finding[]> {
  const judge = judgeOf(`${venue} ${factory}`);
  const [code, named] = await Promise.all([
    reader.hasCode(factory),
    reader.call<Address>(factory, 'getVault() view returns (address)'),
  ]);
  if (code.status !== 'answered') return [judge('code', 'unread', code.why)];
  if (!code.value) return [judge('code', 'missing', 'no code at the factory')];
  if (named.status === 'unread') return [judge('code', 'ok'), judge('vault', 'unread', named.why)];
  const isVault = named.status === 'answered' && named.value.toLowerCase() === vault.toLowerCase();
  const note = named.status === 'answered' ? named.value : named.why;
  return [judge('code', 'ok'), judge('vault', isVault ? 'ok' : 'differs', note)];
}
