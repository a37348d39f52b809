import { catalogue, serviceTitle } from '../../router/index.ts';
import type { Config } from '../config/index.ts';
import { bazaarExtension } from './bazaarExtension.ts';
import type { PaidOffer } from './index.ts';

/**
 * The offer of each paid product, with the description for its 402.
 * @param baseUrl prefix of the resource URLs, without a trailing slash
 */
export function offersOf({ freeTrialGroups }: Pick<Config, 'freeTrialGroups'>, baseUrl: string): PaidOffer[] {
  return catalogue.map((item) => ({
    paid: item.name,
    priceUsd: item.priceUsd,
    ...(freeTrialGroups.includes(item.trialGroup) && { trialGroup: item.trialGroup }),
    resource: {
      url: baseUrl + item.path,
      description: item.summary,
      mimeType: 'application/json',
      serviceName: serviceTitle,
    },
    extensions: bazaarExtension(item),
  }));
}
