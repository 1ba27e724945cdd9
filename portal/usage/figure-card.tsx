import { ChartColumn, Table } from 'lucide-react';
import { Button } from '../components/button.tsx';
import { Card } from '../components/card.tsx';
import { List, type Column } from '../components/list.tsx';
import { Chart, type ChartProps } from './chart.tsx';
import css from './figure-card.module.css';
import { Legend, type LegendProps } from './legend.tsx';

interface FigureCardProps<Row> extends ChartProps {
  readonly isTable?: boolean;
  readonly onTurn?: (isTable: boolean) => void;
  /** The rows of the table, oldest first. The newest is on top. */
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  readonly legend: LegendProps;
}

/** Figures as a chart, read out in its heading, or, by a button, as the table of the same figures. A
 * low one has neither a surface nor a table of its own. */
export const FigureCard = <Row extends { readonly start: string }>({
  isTable = false,
  onTurn,
  rows,
  columns,
  legend,
  ...chart
}: FigureCardProps<Row>) =>
  chart.isLow ? (
    <div className={css.low}>
      <Legend {...legend} />
      <Chart {...chart} />
    </div>
  ) : (
    <Card
      title={chart.title}
      isFlush={isTable}
      below={!isTable && <Legend {...legend} />}
      action={
        <Button
          kind="quiet"
          icon={isTable ? ChartColumn : Table}
          onPress={() => onTurn?.(!isTable)}
          aria-label={`${chart.title}: show as ${isTable ? 'chart' : 'table'}`}
        >
          {isTable ? 'Chart' : 'Table'}
        </Button>
      }
    >
      {isTable ? (
        <List label={chart.title} items={rows.toReversed()} idOf={({ start }) => start} isDense columns={columns} />
      ) : (
        <Chart {...chart} />
      )}
    </Card>
  );
