import { quoteLensArtifact } from '../contracts/artifacts/lens/QuoteLens.ts';
import type { LensCode } from './chain/placedLens.ts';
import { exitLensArtifact } from './pretrade/lensCode.ts';

/** Large enough to be worth a place on a chain (`npm run place:lenses`); by the contract's name. */
export const placeableLenses = {
  QuoteLens: quoteLensArtifact,
  ExitLens: exitLensArtifact,
} as const satisfies Record<string, LensCode>;
