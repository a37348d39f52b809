import type { ChainName } from '../../chain/chains.ts';
import type { Deployment } from '../venueTypes.ts';
import { arbitrum } from './arbitrum.ts';
import { base } from './base.ts';
import { polygon } from './polygon.ts';

export const deployments: Record<ChainName, Deployment> = { base, polygon, arbitrum };
