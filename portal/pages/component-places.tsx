import { KeyRound, Unplug } from 'lucide-react';
import { Avatar, Mark, Tile } from '../components/brand.tsx';
import { Button } from '../components/button.tsx';
import { Card, Row } from '../components/card.tsx';
import { CodeTabs, pingIn } from '../components/code-tabs.tsx';
import { Crumbs } from '../components/crumbs.tsx';
import { Empty } from '../components/empty.tsx';
import { Id } from '../components/id.tsx';
import { List } from '../components/list.tsx';
import { Waiting } from '../components/loaded.tsx';
import { MenuButton } from '../components/menu.tsx';
import { Note } from '../components/note.tsx';
import { Segments } from '../components/segments.tsx';
import { Steps } from '../components/steps.tsx';
import { Tabs } from '../components/tabs.tsx';
import { KeyName } from '../keys/key-name.tsx';
import { UNKNOWN_GATEWAY } from '../docs/samples.ts';
import { MENU } from './component-overlays.tsx';

const HERE = '/components';

/** Navigation, and the content of pages: lists, notes, empty and failed parts, code. */
export const Places = ({ scheme }: { readonly scheme: string }) => (
  <>
    <Card title={`Where one is, ${scheme}`}>
      <Crumbs
        label={`Crumbs, ${scheme}`}
        places={[
          ['Trip planner', HERE],
          ['Keys', `${HERE}?keys`],
        ]}
        here="Staging"
      />
      <Tabs
        label={`Tabs, ${scheme}`}
        tabs={[
          ['Keys', HERE],
          ['Usage', `${HERE}?usage`],
        ]}
        current="Keys"
      />
      <Segments
        label={`Segments, ${scheme}`}
        segments={[
          ['a', 'Active', HERE],
          ['e', 'Ended', HERE],
        ]}
        value="a"
      />
      <Steps at={2} />
      <Row>
        <Mark />
        <Tile of="Riverside" />
        <Avatar of="robin" />
        <Avatar of="noor" isWaiting />
        <Id of="DIZJWGFQWSx8" what="project" />
      </Row>
      <Row>
        <KeyName of={{ name: 'Production server', lastFour: '7Efo' }} />
        <KeyName of={{ name: null, lastFour: 'D23V' }} />
      </Row>
      <KeyName of={{ name: `One that is long: ${'staging and production, '.repeat(4)}`, lastFour: 'p0Qx' }} isCut />
    </Card>
    <Card title={`List, ${scheme}`} isFlush>
      <List
        label={`List, ${scheme}`}
        items={['CI', 'Laptop']}
        idOf={(item) => item}
        isOver={(item) => item === 'Laptop'}
        columns={[
          { heading: 'Name', narrow: 'lead', cell: (item) => item },
          { heading: 'Units', isNumber: true, narrow: 'end', cell: () => '655' },
          {
            heading: 'Menu',
            isActions: true,
            cell: (item) => <MenuButton label={`Actions of ${item}`} groups={MENU} />,
          },
        ]}
      />
    </Card>
    <Card title={`To know, ${scheme}`}>
      <Note>Something to know.</Note>
      <Note kind="warn">Something soon.</Note>
      <Note kind="bad" action={<Button>What to do</Button>}>
        Something wrong.
      </Note>
      <Waiting what="the samples" />
    </Card>
    <Card title={`Empty, ${scheme}`}>
      <Empty icon={KeyRound} title="No keys yet" action={<Button kind="primary">Create key</Button>}>
        A key lets your server call.
      </Empty>
    </Card>
    <Card title={`Failed, ${scheme}`}>
      <Empty icon={Unplug} title="Could not read the keys." action={<Button>Try again</Button>}>
        Nothing is lost.
      </Empty>
    </Card>
    <Card title={`Code, ${scheme}`}>
      <CodeTabs languages={pingIn(UNKNOWN_GATEWAY)} gatewayUrl={UNKNOWN_GATEWAY} />
    </Card>
  </>
);
