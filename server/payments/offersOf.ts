import { catalogue, serviceTitle } from '../../router/index.ts';
import type { Config } from '../config/index.ts';
import { bazaarExtension } from './bazaarExtension.ts';
import type { PaidOffer } from './index.ts';

/** The paid products, with the description in their 402. */
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
      tags: ['defi', 'trading', item.trialGroup],
      iconUrl: `${baseUrl}/assets/mark.svg`,
    },
    extensions: bazaarExtension(item),
  }));
}
