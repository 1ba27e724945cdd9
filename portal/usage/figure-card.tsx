import type { ReactNode } from 'react';
import { ChartColumn, Table } from 'lucide-react';
import { Button } from '../components/button.tsx';
import { Card } from '../components/card.tsx';

interface FigureCardProps {
  readonly title: string;
  readonly isTable: boolean;
  readonly onTurn: (isTable: boolean) => void;
  readonly table: () => ReactNode;
  readonly chart: (title: string) => ReactNode;
}

/** Figures as a chart or, by a button, as the table of the same figures. */
export const FigureCard = ({ title, isTable, onTurn, table, chart }: FigureCardProps) => (
  <Card
    title={title}
    isFlush={isTable}
    action={
      <Button
        kind="quiet"
        icon={isTable ? ChartColumn : Table}
        onPress={() => onTurn(!isTable)}
        aria-label={`${title}: show as ${isTable ? 'chart' : 'table'}`}
      >
        {isTable ? 'Chart' : 'Table'}
      </Button>
    }
  >
    {isTable ? table() : chart(title)}
  </Card>
);
