import { concatHex, type Hex, numberToHex } from 'viem';
import { randomNumber } from '../../chain/lensCall.ts';
import { keccak256 } from '../../keccak256.ts';

/** Random, so that tokens cannot compute a drawn word. */
const secret = numberToHex(randomNumber(32), { size: 32 });

/** A word that only this process can compute: the same for the same parts. */
export const drawFrom = (...parts: Hex[]): Hex => keccak256(concatHex([secret, ...parts]));
