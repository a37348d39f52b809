import type { Request, Response } from 'express';
import { localsOf, paidPlaceOf } from '../http/locals.ts';
import { bytesOf } from '../http/receiveBody.ts';
import { sendRefusal } from '../http/sendRefusal.ts';
import { sendWire, toPaidAnswer } from '../http/wireAnswer.ts';
import type { Sale } from './sell.ts';

/** REST and tRPC: the order is the request, the reply is the response. */
export function sellOverHttp(sale: Sale, docsUrl: string): (req: Request, res: Response) => Promise<void> {
  return async (req, res) => {
    const { item, surface, route } = paidPlaceOf(res);
    const reply = await sale({
      item,
      surface,
      route,
      contentType: req.get('content-type'),
      bytes: bytesOf(req),
      paymentHeader: req.get('payment-signature') || undefined,
      requestId: localsOf(res).requestId,
    });
    res.set(reply.headers);
    if ('answer' in reply) sendWire(res, toPaidAnswer(reply.answer));
    else sendRefusal(res, reply.refusal, { docsUrl, summary: reply.summary });
  };
}
