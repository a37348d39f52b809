import { svg } from './dom.ts';
import { toRounded } from './numbers.ts';
import { type RouteBand, type RouteGraph, type RouteNode, toBands } from './routeGraph.ts';

const nodeWidth = 14;
/** Height of the whole order's band, and the space between two lanes. */
const orderHeight = 110;
const laneGap = 34;
/** A part of this height has room for its share and venue. */
const labelHeight = 15;
/** Room for a token's name above its bar, and for a thin band's mark below. */
const head = 30;
const foot = 10;

/** A token, or a band that passes a column: both need height there. */
interface Lane {
  column: number;
  share: number;
  top: number;
  node?: number;
  band?: number;
}

/**
 * Tokens are bars in columns; a band connects two tokens and has a part for each of its pools. Heights are proportional to
 * the share of the order.
 */
export function flowDiagram(
  graph: RouteGraph,
  nameOf: (address: string) => string,
  width: number,
  label: string,
): SVGElement {
  const { nodes } = graph;
  const bands = toBands(graph);
  const lanes = toLanes(nodes, bands);
  const columns = Math.max(...nodes.map(({ column }) => column)) + 1;
  const maxLanes = Math.max(...Array.from({ length: columns }, (_, column) => lanesOf(lanes, column).length));
  const body = orderHeight + (maxLanes - 1) * laneGap;
  for (let column = 0; column < columns; column += 1) place(lanesOf(lanes, column), body);

  const x = (column: number) => 1 + (column / Math.max(1, columns - 1)) * (width - nodeWidth - 2);
  const used = new Map<string, number>();
  /** The y coordinate at which the next band meets a token. The bands on one side of a token are stacked. */
  const nextBandY = (node: number, side: string, share: number): number => {
    const key = `${node}${side}`;
    const before = used.get(key) ?? 0;
    used.set(key, before + share * orderHeight);
    return (lanes.find((lane) => lane.node === node)?.top ?? 0) + before + (share * orderHeight) / 2;
  };
  const views = bands.map((band, index) => {
    const points = [
      { x: x(nodes[band.from]?.column ?? 0) + nodeWidth, y: nextBandY(band.from, 'out', band.share) },
      ...lanes
        .filter((lane) => lane.band === index)
        .map(({ column, top, share }) => ({ x: x(column) + nodeWidth / 2, y: top + (share * orderHeight) / 2 })),
      { x: x(nodes[band.to]?.column ?? 0), y: nextBandY(band.to, 'in', band.share) },
    ];
    return bandView(band, points);
  });
  return svg(
    'svg',
    {
      class: 'flow',
      width,
      height: head + body + foot,
      viewBox: `0 ${-head} ${width} ${head + body + foot}`,
      role: 'img',
      'aria-label': label,
    },
    ...views.flatMap(({ paths }) => paths),
    ...nodes.flatMap((node, index) =>
      tokenView(node, lanes.find((lane) => lane.node === index)?.top ?? 0, x, columns, nameOf),
    ),
    ...views.flatMap(({ marks }) => marks),
  );
}

const lanesOf = (lanes: readonly Lane[], column: number) => lanes.filter((lane) => lane.column === column);

/** Tokens and passing bands of every column, in the order of the legs, so that few bands cross. */
function toLanes(nodes: readonly RouteNode[], bands: readonly RouteBand[]): Lane[] {
  const columnOf = (node: number) => nodes[node]?.column ?? 0;
  const arrivals = nodes.map((_, index) =>
    Math.max(
      0,
      bands.findIndex(({ to }) => to === index),
    ),
  );
  const tokens = nodes.map(({ column, share }, node) => ({ order: arrivals[node] ?? 0, column, share, top: 0, node }));
  const passing = bands.flatMap(({ from, to, share }, band) =>
    Array.from({ length: Math.max(0, columnOf(to) - columnOf(from) - 1) }, (_, index) => ({
      order: band,
      column: columnOf(from) + 1 + index,
      share,
      top: 0,
      band,
    })),
  );
  return [...tokens, ...passing].sort((a, b) => a.order - b.order);
}

/** Spreads the lanes of one column over the height. */
function place(lanes: readonly Lane[], body: number): void {
  const used = lanes.reduce((sum, { share }) => sum + share * orderHeight, 0);
  const gap = lanes.length > 1 ? (body - used) / (lanes.length - 1) : 0;
  let top = lanes.length > 1 ? 0 : (body - used) / 2;
  for (const lane of lanes) {
    lane.top = top;
    top += lane.share * orderHeight + gap;
  }
}

interface Point {
  x: number;
  y: number;
}

const origin: Point = { x: 0, y: 0 };

function bandView({ share, legs }: RouteBand, points: readonly Point[]): { paths: SVGElement[]; marks: SVGElement[] } {
  let top = (-share * orderHeight) / 2;
  const parts = legs.map((leg) => {
    const height = leg.share * orderHeight;
    top += height;
    return { ...leg, height, shifted: points.map(({ x, y }) => ({ x, y: y + top - height / 2 })) };
  });
  const paths = parts.map(({ height, shifted }) =>
    svg('path', {
      class: 'band',
      d: curveThrough(shifted),
      // A gap of a pixel separates the pools.
      'stroke-width': Math.max(2, height - (legs.length > 1 ? 1 : 0)).toFixed(1),
    }),
  );
  const { length } = points;
  const room = (points[length - 1] ?? origin).x - (points[0] ?? origin).x;
  const marks = parts.flatMap(({ place, height, share: part, venue, shifted }) => {
    if (legs.length > 1 && height < labelHeight) return [];
    const percent = `${toRounded(part * 100)} %`;
    const words = height < labelHeight ? [] : [`${percent} ${venue}`, percent];
    return [partLabel(place, words.find((text) => widthOf(text) < room) ?? '', middleOf(shifted))];
  });
  if (marks.length > 0) return { paths, marks };
  const { x, y } = middleOf(points);
  const text = `${toRounded(share * 100)} %, ${legs.length} pools`;
  return { paths, marks: [svg('text', { class: 'share thin', x, y: y + 4, 'text-anchor': 'middle' }, text)] };
}

function curveThrough(points: readonly Point[]): string {
  const curves = points.slice(1).map((end, at) => {
    const start = points[at] ?? end;
    const middle = (start.x + end.x) / 2;
    return `C${middle} ${start.y} ${middle} ${end.y} ${end.x} ${end.y}`;
  });
  return `M${points[0]?.x} ${points[0]?.y}${curves.join('')}`;
}

function middleOf(points: readonly Point[]): Point {
  const [from, to] = [Math.floor((points.length - 1) / 2), Math.ceil((points.length - 1) / 2)];
  const [left, right] = [points[from] ?? origin, points[to] ?? origin];
  return { x: (left.x + right.x) / 2, y: (left.y + right.y) / 2 };
}

/** The width of a label with its circle, at about 6.2 px a letter. */
const widthOf = (text: string) => 22 + text.length * 6.2;

/** A leg's number and words. A thin part has room for its number only; the list of legs has the rest. */
function partLabel(place: number, text: string, { x, y }: Point): SVGElement {
  const left = text ? x - widthOf(text) / 2 : x - 8;
  return svg(
    'g',
    {},
    svg('circle', { class: 'fill', cx: left + 8, cy: y, r: 8 }),
    svg('text', { class: 'number', x: left + 8, y: y + 4, 'text-anchor': 'middle' }, place),
    text !== '' && svg('text', { class: 'share', x: left + 21, y: y + 4 }, text),
  );
}

function tokenView(
  { token, column, share }: RouteNode,
  top: number,
  x: (column: number) => number,
  columns: number,
  nameOf: (address: string) => string,
): SVGElement[] {
  const anchor = column === 0 ? 'start' : column === columns - 1 ? 'end' : 'middle';
  const at = x(column) + (anchor === 'start' ? 0 : anchor === 'end' ? nodeWidth : nodeWidth / 2);
  const height = Math.max(4, share * orderHeight);
  return [
    svg('rect', { class: 'token', x: x(column), y: top, width: nodeWidth, height, rx: 3 }),
    svg('text', { class: 'symbol', x: at, y: top - 8, 'text-anchor': anchor }, clip(nameOf(token))),
  ];
}

const clip = (name: string) => (name.length > 12 ? `${name.slice(0, 11)}…` : name);
