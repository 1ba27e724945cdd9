import * as echarts from 'echarts';
import type { Chart, Measured } from './part.ts';

const WIDTH = 900;
const HEIGHT = 420;
/** Legible on white and on black alike: an SVG in a page does not know which it stands on. */
const INK = '#7d8590';
const GRID = '#7d859040';
const COLOURS = ['#3b82f6', '#f97316', '#10b981', '#a855f7'];
const FONT = { color: INK, fontFamily: 'system-ui, sans-serif', fontSize: 13 };
const HALF_WHISKER = 4;

/** A chart as an SVG: medians as bars or lines, with quartiles as whiskers, and a legend. */
export function chartSvg({ title, kind, categories, horizontal, vertical, series }: Chart): string {
  const drawn = echarts.init(null, null, { renderer: 'svg', ssr: true, width: WIDTH, height: HEIGHT });
  drawn.setOption({
    animation: false,
    title: { text: title, left: 'center', textStyle: { ...FONT, fontSize: 15, fontWeight: 'bold' } },
    legend: { data: Object.keys(series), top: 34, itemGap: 24, textStyle: FONT },
    grid: { left: 70, right: 20, top: 72, bottom: horizontal === undefined ? 76 : 60 },
    xAxis: {
      type: 'category',
      data: [...categories],
      ...(horizontal !== undefined && { name: horizontal, nameLocation: 'middle', nameGap: 34, nameTextStyle: FONT }),
      axisLabel: {
        ...FONT,
        fontSize: 12,
        interval: 0,
        width: (WIDTH - 90) / categories.length - 20,
        overflow: 'break',
      },
      axisLine: { lineStyle: { color: INK } },
    },
    yAxis: {
      type: 'value',
      min: 0,
      name: vertical,
      nameLocation: 'middle',
      nameGap: 44,
      nameTextStyle: FONT,
      axisLabel: FONT,
      splitLine: { lineStyle: { color: GRID } },
    },
    series: Object.entries(series).flatMap(([name, values], i, { length }) => {
      const data = values.map(({ median }) => median);
      const drawnAs = { type: kind === 'bars' ? 'bar' : 'line', color: COLOURS[i], symbolSize: 8 };
      return [{ name, data, ...drawnAs }, whiskers(values, kind === 'bars' ? { i, length } : { i: 0, length: 1 })];
    }),
  } as echarts.EChartsOption);
  const svg = drawn.renderToSVGString({ useViewBox: true });
  drawn.dispose();
  return `${svg}\n`;
}

/** A series of vertical lines from quartile to quartile, over the bar `i` of so many that a category has. */
function whiskers(values: readonly Measured[], { i, length }: { i: number; length: number }): object {
  return {
    type: 'custom',
    silent: true,
    z: 3,
    // So that the axis has room for them.
    encode: { x: 0, y: [1, 2] },
    data: values.map(({ low, high }, at) => [at, low, high]),
    renderItem: (_parameters: unknown, api: echarts.CustomSeriesRenderItemAPI) => {
      const [x = 0, low = 0] = api.coord([api.value(0), api.value(1)]);
      const [, high = 0] = api.coord([api.value(0), api.value(2)]);
      const { offsetCenter = 0 } = api.barLayout({ count: length })?.[i] ?? {};
      const at = x + offsetCenter;
      const line = (x1: number, y1: number, x2: number, y2: number) => ({
        type: 'line',
        shape: { x1, y1, x2, y2 },
        style: { stroke: INK, lineWidth: 1.5 },
      });
      const cap = (y: number) => line(at - HALF_WHISKER, y, at + HALF_WHISKER, y);
      return { type: 'group', children: [line(at, low, at, high), cap(low), cap(high)] };
    },
  };
}
