import { svg } from './dom.ts';
import { toRounded } from './numbers.ts';
import type { RouteEdge, RouteGraph, RouteNode } from './routeGraph.ts';

const nodeWidth = 14;
/** Height of the whole order's band, and the space between two lanes. */
const orderHeight = 72;
const laneGap = 34;
/** Room for a token's name above its bar. */
const head = 30;

/** A token, or a leg that passes a column: both need height there. */
interface Lane {
  column: number;
  share: number;
  top: number;
  node?: number;
  edge?: number;
}

/** Tokens are bars in columns, legs are bands between them, both as high as their part of the order. */
export function flowDiagram(
  graph: RouteGraph,
  nameOf: (address: string) => string,
  width: number,
  label: string,
): SVGElement {
  const { nodes, edges } = graph;
  const lanes = toLanes(graph);
  const columns = Math.max(...nodes.map(({ column }) => column)) + 1;
  const most = Math.max(...Array.from({ length: columns }, (_, column) => lanesOf(lanes, column).length));
  const body = orderHeight + (most - 1) * laneGap;
  for (let column = 0; column < columns; column += 1) place(lanesOf(lanes, column), body);

  const x = (column: number) => 1 + (column / Math.max(1, columns - 1)) * (width - nodeWidth - 2);
  const used = new Map<string, number>();
  /** The middle of the band's end at a token: the bands of one side stand one below the other. */
  const dock = (node: number, side: string, share: number): number => {
    const key = `${node}${side}`;
    const before = used.get(key) ?? 0;
    used.set(key, before + share * orderHeight);
    return (lanes.find((lane) => lane.node === node)?.top ?? 0) + before + (share * orderHeight) / 2;
  };
  const bands = edges.map((edge, index) => {
    const points = [
      { x: x(nodes[edge.from]?.column ?? 0) + nodeWidth, y: dock(edge.from, 'out', edge.share) },
      ...lanes
        .filter((lane) => lane.edge === index)
        .map(({ column, top, share }) => ({ x: x(column) + nodeWidth / 2, y: top + (share * orderHeight) / 2 })),
      { x: x(nodes[edge.to]?.column ?? 0), y: dock(edge.to, 'in', edge.share) },
    ];
    const alike = edges.filter(({ from, to }) => from === edge.from && to === edge.to);
    return bandView(edge, index, points, { at: alike.indexOf(edge), of: alike.length });
  });
  return svg(
    'svg',
    {
      class: 'flow',
      width,
      height: head + body,
      viewBox: `0 ${-head} ${width} ${head + body}`,
      role: 'img',
      'aria-label': label,
    },
    ...bands.map(({ path }) => path),
    ...nodes.flatMap((node, index) =>
      tokenView(node, lanes.find((lane) => lane.node === index)?.top ?? 0, x, columns, nameOf),
    ),
    ...bands.map(({ mark }) => mark),
  );
}

const lanesOf = (lanes: readonly Lane[], column: number) => lanes.filter((lane) => lane.column === column);

/** Tokens and passing legs of every column, in the order of the legs, so that bands cross little. */
function toLanes({ nodes, edges }: RouteGraph): Lane[] {
  const columnOf = (node: number) => nodes[node]?.column ?? 0;
  const arrivals = nodes.map((_, index) =>
    Math.max(
      0,
      edges.findIndex(({ to }) => to === index),
    ),
  );
  const tokens = nodes.map(({ column, share }, node) => ({ order: arrivals[node] ?? 0, column, share, top: 0, node }));
  const passing = edges.flatMap(({ from, to, share }, edge) =>
    Array.from({ length: Math.max(0, columnOf(to) - columnOf(from) - 1) }, (_, index) => ({
      order: edge,
      column: columnOf(from) + 1 + index,
      share,
      top: 0,
      edge,
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

function bandView(
  { share }: RouteEdge,
  index: number,
  points: readonly Point[],
  parallel: { at: number; of: number },
): { path: SVGElement; mark: SVGElement } {
  const curves = points.slice(1).map((end, at) => {
    const start = points[at] ?? end;
    const middle = (start.x + end.x) / 2;
    return `C${middle} ${start.y} ${middle} ${end.y} ${end.x} ${end.y}`;
  });
  const [first, second] = points;
  const path = svg('path', {
    class: 'band',
    d: `M${first?.x} ${first?.y}${curves.join('')}`,
    'stroke-width': Math.max(2, share * orderHeight).toFixed(1),
  });
  // On the first stretch, where bands do not meet yet. Marks of parallel legs stand side by side.
  const [from, to] = [first ?? origin, second ?? origin];
  const part = (parallel.at + 1) / (parallel.of + 1);
  const center = { x: from.x + (to.x - from.x) * part - 12, y: from.y + (to.y - from.y) * part ** 2 * (3 - 2 * part) };
  const mark = svg(
    'g',
    {},
    svg('circle', { class: 'fill', cx: center.x, cy: center.y, r: 9 }),
    svg('text', { class: 'number', x: center.x, y: center.y + 4, 'text-anchor': 'middle' }, index + 1),
    svg('text', { class: 'share', x: center.x + 13, y: center.y + 4 }, `${toRounded(share * 100)} %`),
  );
  return { path, mark };
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
