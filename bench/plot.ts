import * as echarts from 'echarts';
import type { Chart, Measured } from './part.ts';

const WIDTH = 900;
const HEIGHT = 420;
/** Legible on white and on black alike: an SVG in a page does not know which it stands on. */
const INK = '#7d8590';
const COLOURS = ['#3b82f6', '#f97316', '#10b981'];
const FONT = { color: INK, fontFamily: 'system-ui, sans-serif', fontSize: 13 };
const HALF_WHISKER = 4;

/** A chart as an SVG: medians as bars, with quartiles as whiskers, and a legend. */
export function chartSvg({ title, categories, vertical, series }: Chart): string {
  const drawn = echarts.init(null, null, { renderer: 'svg', ssr: true, width: WIDTH, height: HEIGHT });
  const labels = {
    ...FONT,
    fontSize: 12,
    interval: 0,
    width: (WIDTH - 90) / categories.length - 20,
    overflow: 'break',
  };
  drawn.setOption({
    animation: false,
    title: { text: title, left: 'center', textStyle: { ...FONT, fontSize: 15, fontWeight: 'bold' } },
    legend: { data: Object.keys(series), top: 34, itemGap: 24, textStyle: FONT },
    grid: { left: 70, right: 20, top: 72, bottom: 76 },
    xAxis: { type: 'category', data: [...categories], axisLabel: labels, axisLine: { lineStyle: { color: INK } } },
    yAxis: {
      type: 'value',
      name: vertical,
      nameLocation: 'middle',
      nameGap: 44,
      nameTextStyle: FONT,
      axisLabel: FONT,
      splitLine: { lineStyle: { color: `${INK}40` } },
    },
    series: Object.entries(series).flatMap(([name, values], bar, { length }) => [
      { name, type: 'bar', color: COLOURS[bar], data: values.map(({ median }) => median) },
      whiskers(values, bar, length),
    ]),
  } as echarts.EChartsOption);
  const svg = drawn.renderToSVGString({ useViewBox: true });
  drawn.dispose();
  return `${svg}\n`;
}

/** Vertical lines from quartile to quartile, over one of the bars of each category. */
const whiskers = (values: readonly Measured[], bar: number, bars: number): object => ({
  type: 'custom',
  z: 3,
  // So that the axis has room for them.
  encode: { x: 0, y: [1, 2] },
  data: values.map(({ low, high }, category) => [category, low, high]),
  renderItem: (_parameters: unknown, api: echarts.CustomSeriesRenderItemAPI) => {
    const [x = 0, low = 0] = api.coord([api.value(0), api.value(1)]);
    const [, high = 0] = api.coord([api.value(0), api.value(2)]);
    const at = x + (api.barLayout({ count: bars })?.[bar]?.offsetCenter ?? 0);
    const cap = (y: number): string => `M${at - HALF_WHISKER} ${y}h${2 * HALF_WHISKER}`;
    const pathData = `M${at} ${low}V${high}${cap(low)}${cap(high)}`;
    return { type: 'path', shape: { pathData }, style: { stroke: INK, lineWidth: 1.5, fill: 'none' } };
  },
});
