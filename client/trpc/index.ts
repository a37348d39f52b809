export type { AppRouter } from './appRouter.ts';
export { type PaymentLinkOptions, paymentLink } from './paymentLink.ts';
