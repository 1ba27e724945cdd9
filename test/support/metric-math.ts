/** For each period a value; undefined: no data. */
type Series = readonly (number | undefined)[];
type Value = number | Series;

const OPERATORS: readonly Readonly<Record<string, (a: number, b: number) => number>>[] = [
  { '>=': (a, b) => Number(a >= b), '>': (a, b) => Number(a > b) },
  { '+': (a, b) => a + b, '-': (a, b) => a - b },
  { '*': (a, b) => a * b, '/': (a, b) => a / b },
];

/** Where one of two series has no data it is 0; where no series has any, or at a division by 0, there is no result. */
function calculate(operation: (a: number, b: number) => number, left: Value, right: Value): Value {
  const series = [left, right].filter((value): value is Series => typeof value !== 'number');
  const at = (value: Value, i: number): number => (typeof value === 'number' ? value : (value[i] ?? 0));
  if (series[0] === undefined) return operation(at(left, 0), at(right, 0));
  return series[0].map((_, i) => {
    const result = operation(at(left, i), at(right, i));
    return series.some((one) => one[i] !== undefined) && Number.isFinite(result) ? result : undefined;
  });
}

const FUNCTIONS: Readonly<Record<string, (...values: Value[]) => Value>> = {
  /** Of a series without any point it makes nothing: AWS does not say what it would. */
  FILL: (value, filler) => {
    const series = value as Series;
    return series.some((point) => point !== undefined) ? series.map((point) => point ?? (filler as number)) : series;
  },
  IF: (condition, yes, no) =>
    (condition as Series).map((point, i) => {
      if (point === undefined) return undefined;
      const chosen = point === 0 ? no : yes;
      return typeof chosen === 'number' ? chosen : (chosen[i] ?? (point === 0 ? undefined : 0));
    }),
};

/** A math expression of series, by the rules of CloudWatch ("Using math expressions with CloudWatch metrics"). */
function evaluate(expression: string, series: Readonly<Record<string, Series>>): Series {
  const tokens = expression.match(/[A-Za-z]\w*|[\d.]+|>=|\S/g) ?? [];
  const take = (expected?: string): string => {
    const token = tokens.shift() ?? '';
    if (expected !== undefined && token !== expected) throw new Error(`${expected} is expected, not ${token}`);
    return token;
  };
  const term = (): Value => {
    const token = take();
    if (token === '(') return [operation(), take(')')][0] as Value;
    if (/^\d/.test(token)) return Number(token);
    const named = series[token];
    if (named !== undefined) return named;
    const values: Value[] = [];
    for (take('('); values.length === 0 || tokens[0] === ','; values.push(operation()))
      if (values.length > 0) take(',');
    take(')');
    const applied = FUNCTIONS[token];
    if (applied === undefined) throw new Error(`${token} is neither a function nor a metric`);
    return applied(...values);
  };
  const operation = (level = 0): Value => {
    const operators = OPERATORS[level];
    if (operators === undefined) return term();
    let left = operation(level + 1);
    for (let apply = operators[tokens[0] ?? '']; apply; apply = operators[tokens[0] ?? '']) {
      take();
      left = calculate(apply, left, operation(level + 1));
    }
    return left;
  };
  const result = operation();
  take('');
  if (typeof result === 'number') throw new Error(`${expression} is a number, and no series`);
  return result;
}

/** What decides the state of an alarm, as its template has it. */
export interface Evaluated {
  readonly MetricName?: string;
  readonly Threshold: number;
  readonly ComparisonOperator: string;
  readonly EvaluationPeriods: number;
  readonly DatapointsToAlarm: number;
  readonly TreatMissingData: string;
  readonly Metrics?: readonly {
    readonly Id: string;
    readonly Expression?: string;
    readonly MetricStat?: {
      readonly Metric: { readonly Namespace: string; readonly MetricName: string; readonly Dimensions: unknown };
      readonly Period: number;
    };
  }[];
}

/** Whether an alarm is on when the metrics of these names had these points in its last periods, and others had none. */
export function isOn(alarm: Evaluated, points: Readonly<Record<string, Series>>): boolean {
  const { Metrics = [], MetricName, EvaluationPeriods: length } = alarm;
  const of = (name = ''): Series => points[name] ?? Array.from({ length }, () => undefined);
  const expression = Metrics.find(({ Expression }) => Expression)?.Expression;
  const series = Object.fromEntries(Metrics.map(({ Id, MetricStat }) => [Id, of(MetricStat?.Metric.MetricName)]));
  const seen = expression === undefined ? of(MetricName) : evaluate(expression, series);
  if (seen.length !== length) throw new Error(`It looks at ${length} periods, not at ${seen.length}`);
  const isBad = (point: number | undefined): boolean => {
    if (point === undefined) return alarm.TreatMissingData === 'breaching';
    return alarm.ComparisonOperator === 'LessThanThreshold' ? point < alarm.Threshold : point >= alarm.Threshold;
  };
  return seen.filter(isBad).length >= alarm.DatapointsToAlarm;
}
